# A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
package require json

# The moves that are looked at: a kind, an id and cells. All are legal; protocol.md tells of more.
proc moves {start state} {
    set me [lindex [dict get $state players] [dict get $start seat]]
    if {[dict get $start game] eq "doodle"} {
        foreach card [dict get $state offer] {lappend found {*}[layings card $card $start $me]}
        if {[dict get $state phase] ne "start"} {lappend found pass}
    } elseif {[dict get $state phase] eq "leather"} {
        foreach cells [placements X [dict get $me board]] {lappend found [list leather "" $cells]}
    } else {
        foreach patch [lrange [dict get $state circle] 0 2] {
            if {[dict get $start by_id $patch buttons] > [dict get $me buttons]} continue
            lappend found {*}[layings buy $patch $start $me]
        }
        lappend found advance
    }
    return $found
}

proc layings {kind id start me} {
    set shape [dict get $start by_id $id cells]
    return [lmap cells [placements $shape [dict get $me board]] {list $kind $id $cells}]
}

# How good a move is; the first of the best is played.
proc value {start state move} {
    lassign $move kind id cells
    set me [lindex [dict get $state players] [dict get $start seat]]
    if {$kind eq "pass"} {return -1}
    if {$kind eq "advance"} {return 0}
    set touching [contact [dict get $me board] $cells]
    if {$kind ne "buy"} {return $touching}
    set payments 0
    foreach space [dict get $start track income] {incr payments [expr {$space > [dict get $me space]}]}
    lassign [lmap field {buttons time income} {dict get $start by_id $id $field}] buttons time income
    return [expr {100 * (2 * [llength $cells] + $payments * $income - $buttons - $time) + $touching}]
}

# How many sides of the cells touch the edge or a covered cell.
proc contact {board cells} {
    foreach {down right} {-1 0 0 -1 0 1 1 0} {lappend around {*}[shifted $cells $down $right]}
    return [taken $board $around]
}

# How many of the cells are covered or beyond the edge.
proc taken {board cells} {
    set marks [lmap cell $cells {string index [lindex $board [lindex $cell 0]] [lindex $cell 1]}]
    return [llength [lsearch -all -not -exact $marks .]]
}

# The cells moved by so many rows and columns.
proc shifted {cells down right} {
    return [lmap cell $cells {list [expr {[lindex $cell 0] + $down}] [expr {[lindex $cell 1] + $right}]}]
}

# The distinct rotations and flips of a shape, each moved to the top left corner.
proc orientations {shape} {
    foreach r {0 1 2 3 4 5 6 7 8} {
        foreach at [regexp -all -inline -indices X [lindex $shape $r]] {lappend cells "$r [lindex $at 0]"}
    }
    foreach turned [list $cells [lmap cell $cells {list [lindex $cell 0] [expr {-[lindex $cell 1]}]}]] {
        foreach quarter {1 2 3 4} {
            set turned [lmap cell $turned {list [lindex $cell 1] [expr {-[lindex $cell 0]}]}]
            set top [lindex [lsort -integer -index 0 $turned] 0 0]
            set left [lindex [lsort -integer -index 1 $turned] 0 1]
            lappend found [lsort [shifted $turned [expr {-$top}] [expr {-$left}]]]
        }
    }
    return [lsort -unique $found] ;# single digits sort as text
}

# Every way to lay the shape on empty cells.
proc placements {shape board} {
    set spots {}
    foreach cells [orientations $shape] {
        for {set corner 0} {$corner < 81} {incr corner} {
            set spot [shifted $cells [expr {$corner / 9}] [expr {$corner % 9}]]
            if {[taken $board $spot] == 0} {lappend spots $spot}
        }
    }
    return $spots
}

proc decide {start state} {
    set moves [moves $start $state]
    set values [lmap move $moves {value $start $state $move}]
    return [lindex $moves [lsearch -integer $values [tcl::mathfunc::max {*}$values]]]
}

proc written {move} {
    lassign $move kind id cells
    if {$cells eq ""} {return [format {{"%s":true}} $kind]}
    set cells [join [lmap cell $cells {format {[%d,%d]} {*}$cell}] ,]
    if {$kind eq "leather"} {return [format {{"leather":%s}} $cells]}
    return [format {{"%s":"%s","cells":[%s]}} $kind $id $cells]
}

fconfigure stdin -encoding utf-8
fconfigure stdout -buffering line
while {[gets stdin line] >= 0} {
    set message [json::json2dict $line]
    switch [dict get $message type] {
        hello {puts {{"type":"hello","protocol":1,"name":"tcl"}}}
        start {
            set start $message
            # The seed repeats what rand() gives. Uncomment what you use, here and below.
            #expr {srand([dict get $start seed])} ;# takes 31 bits
            foreach list {{cards starts} {cards patches} patches} {
                if {![dict exists $message {*}$list]} continue
                foreach card [dict get $message {*}$list] {dict set start by_id [dict get $card id] $card}
            }
            puts {{"type":"ready"}}
        }
        turn {
            # The time to search in this turn, and numbers for the record:
            #set limits [dict merge {match_ms null increment_ms 0} [dict get $start limits] $message]
            #lassign [lmap key {time_ms match_ms increment_ms} {dict get $limits $key}] ms match more
            #set budget_ms [expr {min($ms * 9 / 10, $match eq "null" ? $ms : $ms / 20 + $more)}]
            set move [written [decide $start [dict get $message state]]]
            set answer [format {"type":"move","id":%s,"move":%s} [dict get $message id] $move]
            #set numbers [list [dict get $start seed] $budget_ms [expr {rand()}]]
            #append answer [format {,"data":{"seed":%s,"budget_ms":%s,"chance":%s}} {*}$numbers]
            puts "{$answer}"
        }
        quit break
    }
}
