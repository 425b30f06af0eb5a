;;; plimsoll.el --- Promela with the verifier Plimsoll -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "27.1"))

;;; Commentary:

;; A mode for Promela: colours, comments, and Eglot with `plimsoll lsp'.  With dape, `plimsoll dap' is its debugger.

;;; Code:

(defgroup plimsoll nil "Promela with the verifier Plimsoll." :group 'languages)

(defcustom plimsoll-program "plimsoll"
  "The program: its name, if it is on the path, or where it is."
  :type 'string)

(defvar promela-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?/ ". 124b" table)
    (modify-syntax-entry ?* ". 23" table)
    (modify-syntax-entry ?\n "> b" table)
    (modify-syntax-entry ?# "." table)
    (dolist (letter '(?+ ?- ?= ?% ?< ?> ?& ?| ?! ?~ ?^ ?? ?@))
      (modify-syntax-entry letter "." table))
    table))

(defconst promela-font-lock-keywords
  `((,(regexp-opt '("do" "od" "if" "fi" "for" "in" "select" "break" "goto" "else" "unless" "atomic" "d_step"
                    "return" "skip" "run" "timeout" "active" "init" "inline" "proctype" "D_proctype" "typedef" "never"
                    "ltl" "trace" "notrace" "hidden" "local" "show" "priority" "provided" "xr" "xs" "of" "always"
                    "eventually" "until" "weakuntil" "stronguntil" "release" "next" "implies" "equivalent" "c_code"
                    "c_decl" "c_expr" "c_state" "c_track")
                  'symbols)
     . font-lock-keyword-face)
    (,(regexp-opt '("bit" "bool" "byte" "chan" "int" "mtype" "pid" "short" "unsigned") 'symbols)
     . font-lock-type-face)
    (,(regexp-opt '("assert" "printf" "printm" "len" "empty" "nempty" "full" "nfull" "eval" "enabled" "pc_value"
                    "get_priority" "set_priority")
                  'symbols)
     . font-lock-builtin-face)
    (,(regexp-opt '("true" "false" "_pid" "_nr_pr" "_last" "_priority" "np_") 'symbols) . font-lock-constant-face)
    ("^\\s-*#\\s-*[a-z]+" . font-lock-preprocessor-face)
    ("\\_<\\(?:proctype\\|D_proctype\\|inline\\|ltl\\|never\\)\\s-+\\([A-Za-z_][A-Za-z0-9_]*\\)"
     1 font-lock-function-name-face)
    ("^\\s-*\\([A-Za-z_][A-Za-z0-9_]*\\)\\s-*:\\(?:[^:]\\|$\\)" 1 font-lock-constant-face)))

;;;###autoload
(define-derived-mode promela-mode prog-mode "Promela"
  "A mode for models in Promela."
  (setq-local font-lock-defaults '(promela-font-lock-keywords))
  (setq-local comment-start "/* ")
  (setq-local comment-end " */")
  (setq-local comment-start-skip "\\(?://+\\|/\\*+\\)\\s-*")
  (setq-local compile-command
              (concat (shell-quote-argument plimsoll-program) " check "
                      (if buffer-file-name (shell-quote-argument buffer-file-name) ""))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:pml\\|prom\\|promela\\|spin\\)\\'" . promela-mode))

(with-eval-after-load 'eglot
  (defvar eglot-server-programs)
  (add-to-list 'eglot-server-programs
               (cons 'promela-mode (lambda (&rest _) (list plimsoll-program "lsp")))))

(with-eval-after-load 'dape
  (defvar dape-configs)
  (dolist (config `((plimsoll-simulate) (plimsoll-counterexample :question "")))
    (add-to-list 'dape-configs
                 `(,(car config) modes (promela-mode) command ,plimsoll-program command-args ("dap")
                   :type "plimsoll" :request "launch" :program dape-buffer-default ,@(cdr config)))))

(provide 'plimsoll)
;;; plimsoll.el ends here
