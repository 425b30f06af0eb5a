;;; emacs.el --- Emacs' own client, without a screen -*- lexical-binding: t -*-

;;; Commentary:

;; Opens a model with a mistake, goes to a declaration, mends the mistake, and says what it saw.

;;; Code:

(require 'cl-lib)
(unless (locate-library "eglot")
  (package-initialize))
(require 'eglot)
(load (expand-file-name "../emacs/plimsoll.el" (file-name-directory load-file-name)))
(setq plimsoll-program (getenv "PLIMSOLL_PROGRAM"))

(defvar saw-diagnostics nil)
(cl-defmethod eglot-handle-notification :before
  (_server (_method (eql textDocument/publishDiagnostics)) &key diagnostics &allow-other-keys)
  (setq saw-diagnostics (append diagnostics nil)))

(defun say (&rest words)
  (write-region (concat (mapconcat (lambda (word) (format "%s" word)) words " ") "\n")
                nil (getenv "PLIMSOLL_SAW") 'append 'quiet))

(defun wait-until (condition)
  (let ((end (+ (float-time) 60)))
    (while (and (not (funcall condition)) (< (float-time) end))
      (accept-process-output nil 0.02))))

(defun say-diagnostics (word)
  (dolist (found saw-diagnostics)
    (say word (1+ (plist-get (plist-get (plist-get found :range) :start) :line))
         (car (split-string (plist-get found :message) "\n")))))

(find-file (getenv "PLIMSOLL_MODEL"))
(setq saw-diagnostics 'nothing-yet)
(apply #'eglot--connect (eglot--guess-contact))
(wait-until (lambda () (consp saw-diagnostics)))
(say-diagnostics "diagnostic")

(let* ((server (eglot-current-server))
       (uri (eglot--path-to-uri buffer-file-name))
       (position (list :line 2 :character 1))
       (at (list :textDocument (list :uri uri) :position position))
       (places (jsonrpc-request server :textDocument/definition at))
       (hover (jsonrpc-request server :textDocument/hover at)))
  (say "definition" (1+ (plist-get (plist-get (plist-get (aref places 0) :range) :start) :line)))
  (say "hover" (nth 1 (split-string (plist-get (plist-get hover :contents) :value) "\n")))
  ;; Typed, not loaded: incremental changes go to the server.
  (goto-char (point-min))
  (search-forward "coutn")
  (replace-match "count")
  (eglot--signal-textDocument/didChange)
  (wait-until (lambda () (null saw-diagnostics)))
  (say "mended" (length saw-diagnostics))
  (let ((make-backup-files nil)) (save-buffer))
  (wait-until (lambda () (consp saw-diagnostics)))
  (say-diagnostics "verdict")
  (eglot-shutdown server))
(kill-emacs 0)
;;; emacs.el ends here
