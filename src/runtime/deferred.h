// The functions that take the place of calls for output in a staged body (src/transform/defer.h): the same
// arguments, and success as the result, which nobody uses but where that is declared. Where the call can be made at once they make it, else they keep it.
#pragma once

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(hidden) // each linked image has its own runtime

size_t heddle_defer_fwrite(const void* data, size_t size, size_t count, FILE* stream);
int heddle_defer_fputs(const char* text, FILE* stream);
int heddle_defer_puts(const char* text);
int heddle_defer_fputc(int character, FILE* stream);
int heddle_defer_putchar(int character);
int heddle_defer_printf(const char* format, ...);
int heddle_defer_vprintf(const char* format, va_list arguments);
int heddle_defer_fprintf(FILE* stream, const char* format, ...);
int heddle_defer_vfprintf(FILE* stream, const char* format, va_list arguments);
int heddle_defer_printf_chk(int flag, const char* format, ...);
int heddle_defer_fprintf_chk(FILE* stream, int flag, const char* format, ...);
int heddle_defer_vfprintf_chk(FILE* stream, int flag, const char* format, va_list arguments);

ssize_t heddle_defer_write(int descriptor, const void* data, size_t size);
ssize_t heddle_defer_pwrite(int descriptor, const void* data, size_t size, off_t offset);
ssize_t heddle_defer_writev(int descriptor, const struct iovec* parts, int count);
ssize_t heddle_defer_send(int descriptor, const void* data, size_t size, int flags);
ssize_t heddle_defer_sendto(int descriptor, const void* data, size_t size, int flags,
                            const struct sockaddr* address, socklen_t address_size);
ssize_t heddle_defer_sendmsg(int descriptor, const struct msghdr* message, int flags);

// Where the result is used (declared_output.cpp).
ssize_t heddle_output_write(int descriptor, const void* data, size_t size);
ssize_t heddle_output_writev(int descriptor, const struct iovec* parts, int count);
ssize_t heddle_output_send(int descriptor, const void* data, size_t size, int flags);
ssize_t heddle_output_sendto(int descriptor, const void* data, size_t size, int flags,
                             const struct sockaddr* address, socklen_t address_size);
ssize_t heddle_output_sendmsg(int descriptor, const struct msghdr* message, int flags);

void heddle_defer_syslog(int priority, const char* format, ...);
void heddle_defer_vsyslog(int priority, const char* format, va_list arguments);
void heddle_defer_syslog_chk(int priority, int flag, const char* format, ...);

// libpcap's; in an object of its own, as pcap.cpp.
void heddle_defer_pcap_dump(unsigned char* dumper, const void* header, const unsigned char* data);

// Before the program aborts.
void heddle_make_output(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
