# What Debian's policy asks of a package over what is installed: compressed pages, a changelog, the licence, zsh's own folder.
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
file(COPY ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${share}/doc/heddle)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${share}/doc/heddle/changelog "heddle (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Built from Heddle's own tree, whose history has the changes.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9nf ${pages} ${share}/doc/heddle/changelog COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)
