;;;; A small reader and writer for JSON. It signals an error on what is not JSON, which the arena never sends.
;;;; What is read: an object is an association list, true and false are :true and :false, null is nil.

(defun field (name object)
  "The value of an object's field, nil if it has none."
  (cdr (assoc name object :test #'equal)))

(defun read-json (in)
  "The next value in a stream of characters."
  (case (peek-char t in)
    (#\{ (read-list in #\} #'read-member))
    (#\[ (read-list in #\] #'read-json))
    (#\" (read-text in))
    (t (read-word in))))

(defun expect (mark in)
  (unless (char= (peek-char t in) mark) (error "This is not JSON: there is no ~a where one must be." mark))
  (read-char in))

(defun read-list (in close read-item)
  (read-char in)
  (loop until (char= (peek-char t in) close)
        collect (funcall read-item in)
        unless (char= (peek-char t in) close) do (expect #\, in)
        finally (read-char in)))

(defun read-member (in)
  (let ((name (read-text in)))
    (expect #\: in)
    (cons name (read-json in))))

(defun read-text (in)
  (expect #\" in)
  (loop with text = (make-array 16 :element-type 'character :adjustable t :fill-pointer 0)
        for character = (read-char in)
        until (char= character #\")
        do (if (char= character #\\) (add-escape in text) (vector-push-extend character text))
        finally (return (coerce text 'simple-string))))

(defun add-escape (in text)
  (let ((mark (read-char in)))
    (if (char= mark #\u)
        (let ((digits (make-string 4)))
          (read-sequence digits in)
          (add-unit (parse-integer digits :radix 16) text))
        (let ((place (position mark "bfnrt")))
          (vector-push-extend (if place (code-char (aref #(8 12 10 13 9) place)) mark) text)))))

(defun add-unit (unit text)
  "Adds a character to the text; those beyond U+FFFF come as two units."
  (let* ((end (1- (length text)))
         (high (if (minusp end) 0 (char-code (char text end)))))
    (if (and (<= #xD800 high #xDBFF) (<= #xDC00 unit #xDFFF))
        (setf (char text end) (code-char (+ #x10000 (* #x400 (- high #xD800)) (- unit #xDC00))))
        (vector-push-extend (code-char unit) text))))

(defun read-word (in)
  "A number, true, false or null."
  (let ((word (coerce (loop for next = (peek-char nil in nil #\,)
                            while (or (alphanumericp next) (find next "+-."))
                            collect (read-char in))
                      'string))
        (*read-default-float-format* 'double-float))
    (cond ((string= word "true") :true)
          ((string= word "false") :false)
          ((string= word "null") nil)
          ((every (lambda (mark) (find mark "+-.eE0123456789")) word) (read-from-string word))
          (t (error "This is not JSON: ~a" word)))))

(defun write-json (value)
  "A value as JSON. A list with keywords for names is an object; texts must do without escapes, as ids do."
  (cond ((eq value :true) "true")
        ((eq value :false) "false")
        ((stringp value) (format nil "\"~a\"" value))
        ((integerp value) (format nil "~d" value))
        ((realp value)
         (let ((*read-default-float-format* 'double-float)) ; or it writes 0.5d0
           (prin1-to-string (coerce value 'double-float))))
        ((keywordp (first value))
         (format nil "{~{\"~(~a~)\":~a~^,~}}"
                 (loop for (name item) on value by #'cddr collect name collect (write-json item))))
        (t (format nil "[~{~a~^,~}]" (mapcar #'write-json value)))))
