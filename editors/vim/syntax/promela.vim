" Colours for Promela.
if exists("b:current_syntax")
  finish
endif

syntax keyword promelaStatement assert break goto printf printm run skip return select timeout eval
syntax keyword promelaConditional if fi else unless
syntax keyword promelaRepeat do od for in
syntax keyword promelaStructure active init inline proctype D_proctype typedef never ltl trace notrace
syntax keyword promelaBlock atomic d_step
syntax keyword promelaType bit bool byte chan int mtype pid short unsigned
syntax keyword promelaStorage hidden local show priority provided xr xs of
syntax keyword promelaFunction len empty nempty full nfull enabled pc_value get_priority set_priority
syntax keyword promelaTemporal always eventually until weakuntil stronguntil release next implies equivalent
syntax keyword promelaBoolean true false
syntax keyword promelaVariable _pid _nr_pr _last _priority np_
syntax keyword promelaEmbedded c_code c_decl c_expr c_state c_track
syntax match promelaNumber "\<\(0x\x\+\|\d\+\)\>"
syntax match promelaLabel "^\s*\h\w*\s*:\ze\(:\)\@!"
syntax match promelaOption "::"
syntax match promelaTemporal "\[\]\|<>"
syntax match promelaDirective "^\s*#.*$" contains=promelaComment,promelaString
syntax region promelaString start=+"+ skip=+\\"+ end=+"+ oneline contains=promelaFormat
syntax match promelaFormat "%[cdeoux]" contained
syntax match promelaComment "//.*$" contains=promelaTodo
syntax region promelaComment start="/\*" end="\*/" contains=promelaTodo
syntax keyword promelaTodo TODO FIXME XXX contained

highlight default link promelaStatement Statement
highlight default link promelaConditional Conditional
highlight default link promelaRepeat Repeat
highlight default link promelaStructure Structure
highlight default link promelaBlock Keyword
highlight default link promelaType Type
highlight default link promelaStorage StorageClass
highlight default link promelaFunction Function
highlight default link promelaTemporal Operator
highlight default link promelaBoolean Boolean
highlight default link promelaVariable Identifier
highlight default link promelaEmbedded Error
highlight default link promelaNumber Number
highlight default link promelaLabel Label
highlight default link promelaOption Delimiter
highlight default link promelaDirective PreProc
highlight default link promelaString String
highlight default link promelaFormat SpecialChar
highlight default link promelaComment Comment
highlight default link promelaTodo Todo

let b:current_syntax = "promela"
