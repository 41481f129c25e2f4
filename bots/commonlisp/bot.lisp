;;;; A bot for both games: it lays patches where they touch most. Write your strategy into `value'.

(load (merge-pathnames "json.lisp" *load-truename*))

;;; start and state are the arena's, as protocol.md has them. A cell is a list of row and column, both 0 to 8.

(defun patch (id start)
  "A card or patch by its id."
  (gethash id (field :patches start)))

(defun me (start state)
  (nth (field "seat" start) (field "players" state)))

(defun moves (start state)
  "The moves that are looked at. All are legal; protocol.md tells of more."
  (let ((board (field "board" (me start state))))
    (flet ((lay (verb id)
             (loop for cells in (placements (field "cells" (patch id start)) board)
                   collect (list verb id :cells cells))))
      (cond ((string= (field "game" start) "doodle")
             (append (loop for card in (field "offer" state) append (lay :card card))
                     (unless (string= (field "phase" state) "start") '((:pass :true)))))
            ((string= (field "phase" state) "leather")
             (loop for (cell) in (placements '("X") board) collect (list :leather cell)))
            (t
             (append (loop for patch in (field "circle" state)
                           repeat 3
                           when (<= (field "buttons" (patch patch start)) (field "buttons" (me start state)))
                             append (lay :buy patch))
                     '((:advance :true))))))))

(defun value (start state move)
  "How good a move is; the first of the best is played."
  (let* ((me (me start state)) (board (field "board" me)) (cells (getf move :cells)))
    (ecase (first move)
      (:pass -1)
      (:advance 0)
      (:card (contact cells board))
      (:leather (contact (list (getf move :leather)) board))
      (:buy (let* ((patch (patch (getf move :buy) start))
                   (marks (field "income" (field "track" start)))
                   (payments (count-if (lambda (mark) (> mark (field "space" me))) marks))
                   (gain (+ (* 2 (length cells)) (* payments (field "income" patch))))
                   (worth (- gain (field "buttons" patch) (field "time" patch))))
              (+ (* 100 worth) (contact cells board)))))))

(defun contact (cells board)
  "How many sides of the cells touch the edge or a covered cell."
  (loop for (r c) in cells
        sum (loop for (dr dc) in '((-1 0) (0 -1) (0 1) (1 0))
                  count (not (free-p board (+ r dr) (+ c dc))))))

(defun free-p (board r c)
  (and (<= 0 r 8) (<= 0 c 8) (char= (char (nth r board) c) #\.)))

(defun decide (start state)
  (loop with best and most
        for move in (moves start state)
        for worth = (value start state move)
        when (or (null best) (> worth most)) do (setf best move most worth)
        finally (return best)))

(defun orientations (shape)
  "The distinct rotations and flips of a shape, each moved to the top left corner."
  (let* ((cells (loop for row in shape for r from 0
                      append (loop for mark across row for c from 0
                                   when (char= mark #\X) collect (list r c))))
         (flipped (loop for (r c) in cells collect (list r (- c)))))
    (flet ((turns (cells)
             (loop repeat 4
                   collect (corner cells)
                   do (setf cells (loop for (r c) in cells collect (list c (- r)))))))
      (sort (remove-duplicates (append (turns cells) (turns flipped)) :test #'equal) #'before))))

(defun corner (cells)
  (let ((top (reduce #'min cells :key #'first)) (left (reduce #'min cells :key #'second)))
    (sort (loop for (r c) in cells collect (list (- r top) (- c left)))
          (lambda (one other) (before (list one) (list other))))))

(defun before (one other)
  "Whether a list of cells comes before another of the same length."
  (loop for (r c) in one
        for (row column) in other
        when (/= r row) return (< r row)
        when (/= c column) return (< c column)))

(defun placements (shape board)
  "Every way to lay the shape on empty cells."
  (loop for cells in (orientations shape)
        append (loop for top to (- 8 (reduce #'max cells :key #'first))
                     append (loop for left to (- 8 (reduce #'max cells :key #'second))
                                  for spot = (loop for (r c) in cells collect (list (+ r top) (+ c left)))
                                  when (loop for (r c) in spot always (free-p board r c))
                                    collect spot))))

(defun with-patches (start)
  (let ((table (make-hash-table :test #'equal))
        (cards (field "cards" start)))
    (dolist (card (append (field "starts" cards) (field "patches" (or cards start))))
      (setf (gethash (field "id" card) table) card))
    (acons :patches table start)))

(defun answer (&rest message)
  (write-line (write-json message))
  (finish-output))

;;; Talks to the arena until it says goodbye or its end of the pipe closes.
(loop with start
      for line = (read-line *standard-input* nil)
      for message = (and line (with-input-from-string (in line) (read-json in)))
      for kind = (field "type" message)
      until (or (null line) (string= kind "quit"))
      do (cond ((string= kind "hello") (answer :type "hello" :protocol 1 :name "commonlisp"))
               ((string= kind "start")
                (setf start (with-patches message))
                ;; Chance that the seed repeats; uncomment what you use, here and below.
                ;(setf *random-state* (sb-ext:seed-random-state (field "seed" start)))
                (answer :type "ready"))
               ((string= kind "turn")
                ;; The time to search in this turn, and numbers for the record:
                (let* ((state (field "state" message))
                       ;(limits (field "limits" start)) (ms (field "time_ms" message))
                       ;(share (+ (floor ms 20) (or (field "increment_ms" limits) 0)))
                       ;(budget-ms (min (floor (* ms 9) 10) (if (field "match_ms" limits) share ms)))
                       (move (decide start state)))
                  (answer :type "move" :id (field "id" message)
                          ;:data (list :seed (field "seed" start) :budget_ms budget-ms :chance (random 1d0))
                          :move move))))) ; the others want no answer
