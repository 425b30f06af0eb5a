autocmd BufRead,BufNewFile *.pml,*.prom,*.promela,*.spin setfiletype promela
