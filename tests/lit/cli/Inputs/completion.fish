source $argv[1]
complete -C 'heddle pl'
complete -C 'heddle plan --policy f'
