;;; A bot for both games: it lays patches where they touch most. Write your strategy into `value'.

(use-modules (ice-9 hash-table) (ice-9 match) (ice-9 rdelim) (json) (srfi srfi-1))

;; start and state are the arena's, as protocol.md has them: objects are association lists, lists are vectors.
;; A cell is a list of row and column, both 0 to 8; a move is a list such as (card "P07" ((0 0) (0 1))).

(define all-cells (list-tabulate 81 (lambda (place) (list (quotient place 9) (remainder place 9)))))

(define (me start state) (vector-ref (assoc-ref state "players") (assoc-ref start "seat")))
(define (patch start id) (hash-ref (assoc-ref start "by id") id))

;; The moves that are looked at. All are legal; protocol.md tells of more.
(define (moves start state)
  (define board (assoc-ref (me start state) "board"))
  (define (lay verb id)
    (map (lambda (cells) (list verb id cells)) (placements (assoc-ref (patch start id) "cells") board)))
  (define (payable? id) (<= (assoc-ref (patch start id) "buttons") (assoc-ref (me start state) "buttons")))
  (define (items name) (vector->list (assoc-ref state name)))
  (cond
   ((string=? (assoc-ref start "game") "doodle")
    (append (append-map (lambda (card) (lay 'card card)) (items "offer"))
            (if (string=? (assoc-ref state "phase") "start") '() '((pass)))))
   ((string=? (assoc-ref state "phase") "leather")
    (map (lambda (cells) (list 'leather (first cells))) (placements #("X") board)))
   (else
    (let* ((circle (items "circle"))
           (sold (filter payable? (take circle (min 3 (length circle))))))
      (append (append-map (lambda (patch) (lay 'buy patch)) sold) '((advance)))))))

;; How good a move is; the first of the best is played.
(define (value start state move)
  (define board (assoc-ref (me start state) "board"))
  (match move
    (('pass) -1)
    (('advance) 0)
    (('card _ cells) (contact cells board))
    (('leather cell) (contact (list cell) board))
    (('buy id cells)
     (let* ((space (assoc-ref (me start state) "space"))
            (marks (vector->list (assoc-ref (assoc-ref start "track") "income")))
            (payments (count (lambda (mark) (> mark space)) marks))
            (has (lambda (name) (assoc-ref (patch start id) name)))
            (worth (- (+ (* 2 (length cells)) (* payments (has "income"))) (has "buttons") (has "time"))))
       (+ (* 100 worth) (contact cells board))))))

;; How many sides of the cells touch the edge or a covered cell.
(define (contact cells board)
  (define (around cell) (map (lambda (side) (map + cell side)) '((-1 0) (0 -1) (0 1) (1 0))))
  (count (lambda (cell) (not (marked? #\. board cell))) (append-map around cells)))

;; Whether the rows of a shape or board have the mark at a cell.
(define (marked? mark rows cell)
  (match cell
    ((r c) (and (< -1 r (vector-length rows)) (< -1 c (string-length (vector-ref rows r)))
                (char=? mark (string-ref (vector-ref rows r) c))))))

(define (decide start state)
  (define rated (map (lambda (move) (cons (value start state move) move)) (moves start state)))
  (cdr (first (stable-sort rated (lambda (one other) (> (car one) (car other)))))))

;; The distinct rotations and flips of a shape, each moved to the top left corner.
(define (orientations shape)
  (define (turn cells) (map (lambda (cell) (list (second cell) (- (first cell)))) cells))
  (define (flip cells) (map (lambda (cell) (list (first cell) (- (second cell)))) cells))
  (define (turns cells times)
    (if (= times 0) '() (cons (corner cells) (turns (turn cells) (- times 1)))))
  (define cells (filter (lambda (cell) (marked? #\X shape cell)) all-cells))
  (delete-duplicates (sort (append (turns cells 4) (turns (flip cells) 4)) before?)))

(define (corner cells)
  (define offset (list (apply min (map first cells)) (apply min (map second cells))))
  (sort (map (lambda (cell) (map - cell offset)) cells)
        (lambda (one other) (before? (list one) (list other)))))

;; Whether a list of cells comes before another of the same length: the first numbers that differ decide.
(define (before? one other)
  (define differing (find (lambda (two) (not (apply = two))) (zip (concatenate one) (concatenate other))))
  (and differing (apply < differing)))

;; Every way to lay the shape on empty cells.
(define (placements shape board)
  (define (moved cells offset) (map (lambda (cell) (map + cell offset)) cells))
  (define (spots cells) (map (lambda (offset) (moved cells offset)) all-cells))
  (filter (lambda (cells) (every (lambda (cell) (marked? #\. board cell)) cells))
          (append-map spots (orientations shape))))

(define (with-patches start)
  (define cards (or (assoc-ref start "cards") start))
  (define lists (list (or (assoc-ref cards "starts") #()) (assoc-ref cards "patches")))
  (define (entry card) (cons (assoc-ref card "id") card))
  (acons "by id" (alist->hash-table (map entry (append-map vector->list lists))) start))

;; A move as the arena wants it.
(define (written move)
  (match move
    ((verb) `((,verb . #t)))
    (('leather cell) `((leather . ,(list->vector cell))))
    ((verb id cells) `((,verb . ,id) (cells . ,(list->vector (map list->vector cells)))))))

(define (answer . message)
  (scm->json message)
  (newline)
  (force-output))

;; Talks to the arena until it says goodbye or its end of the pipe closes.
(set-port-encoding! (current-input-port) "UTF-8")
;; Chance that the seed repeats, time, and numbers for the record: uncomment what you use.
;(define chance #f)
(let talk ((start #f))
  (define line (read-line))
  (unless (eof-object? line)
    (let ((message (json-string->scm line)))
      (match (assoc-ref message "type")
        ("hello" (answer '(type . "hello") '(protocol . 1) '(name . "scheme")) (talk start))
        ("start"
         ;(set! chance (seed->random-state (assoc-ref message "seed")))
         (answer '(type . "ready")) (talk (with-patches message)))
        ("turn"
         (let* ((id (assoc-ref message "id"))
                ;(ms (assoc-ref message "time_ms")) (limits (assoc-ref start "limits"))
                ;(share (+ (quotient ms 20) (or (assoc-ref limits "increment_ms") 0)))
                ;(budget (min (quotient (* 9 ms) 10) (if (integer? (assoc-ref limits "match_ms")) share ms)))
                (move (decide start (assoc-ref message "state"))))
           (answer '(type . "move") `(id . ,id)
                   ;`(data ,(assoc "seed" start) (budget_ms . ,budget) (chance . ,(random:uniform chance)))
                   `(move . ,(written move))))
         (talk start))
        ("quit" #t)
        (_ (talk start)))))) ; "fault" and "end" want no answer
