" Promela: comments, matching words, and :make for the models' diagnostics and verdicts.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=/*\ %s\ */ comments=s1:/*,mb:*,ex:*/,:// suffixesadd=.pml include=^\\s*#\\s*include
setlocal makeprg=plimsoll\ check\ --format\ github\ --no-warnings\ %
setlocal errorformat=::%trror\ file=%f\\,line=%l\\,col=%c\\,title=%.%#::%m,::%tarning\ file=%f\\,line=%l\\,col=%c\\,title=%.%#::%m,
      \::%trror\ file=%f\\,line=%l\\,title=%.%#::%m,::%tarning\ file=%f\\,line=%l\\,title=%.%#::%m,%-G%.%#
let b:match_words = '\<do\>:\<od\>,\<if\>:\<fi\>,{:},^\s*#\s*if\w*\>:^\s*#\s*el\w\+\>:^\s*#\s*endif\>'
let b:undo_ftplugin = "setlocal commentstring< comments< suffixesadd< include< makeprg< errorformat< | unlet! b:match_words"
