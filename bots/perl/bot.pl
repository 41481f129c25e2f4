# A bot for both games: it lays patches where they touch most. Write your strategy into `value`.
use strict;
use warnings;
use JSON::PP;
use List::Util qw(all min max);

# The moves that are looked at. All are legal; protocol.md tells of more.
sub moves {
    my ($start, $state) = @_;
    my $me = $state->{players}[$start->{seat}];
    my $cells_of = sub { placements($start->{by_id}{$_[0]}{cells}, $me->{board}) };
    if ($start->{game} eq 'doodle') {
        my @moves;
        for my $card (@{$state->{offer}}) {
            push @moves, map { {card => $card, cells => $_} } $cells_of->($card);
        }
        push @moves, {pass => JSON::PP::true} if $state->{phase} ne 'start';
        return @moves;
    }
    return map { {leather => $_->[0]} } placements(['X'], $me->{board}) if $state->{phase} eq 'leather';
    my @moves;
    for my $patch (grep { defined } @{$state->{circle}}[0 .. 2]) {
        next if $start->{by_id}{$patch}{buttons} > $me->{buttons};
        push @moves, map { {buy => $patch, cells => $_} } $cells_of->($patch);
    }
    return (@moves, {advance => JSON::PP::true});
}

# How good a move is; the first of the best is played.
sub value {
    my ($start, $state, $move) = @_;
    my $me = $state->{players}[$start->{seat}];
    return -1 if $move->{pass};
    return 0  if $move->{advance};
    my $touching = contact($me->{board}, $move->{cells} // [$move->{leather}]);
    return $touching unless exists $move->{buy};
    my $patch    = $start->{by_id}{$move->{buy}};
    my $payments = grep { $_ > $me->{space} } @{$start->{track}{income}};
    my $cells    = @{$move->{cells}};
    my $worth    = 2 * $cells + $payments * $patch->{income} - $patch->{buttons} - $patch->{time};
    return 100 * $worth + $touching;
}

# How many sides of the cells touch the edge or a covered cell.
sub contact {
    my ($board, $cells) = @_;
    my @around = map { my ($r, $c) = @$_; [$r - 1, $c], [$r, $c - 1], [$r, $c + 1], [$r + 1, $c] } @$cells;
    return scalar grep { !empty($board, @$_) } @around;
}

sub empty {
    my ($board, $r, $c) = @_;
    return $r >= 0 && $r < 9 && $c >= 0 && $c < 9 && substr($board->[$r], $c, 1) eq '.';
}

# The distinct rotations and flips of a shape, each moved to the top left corner.
sub orientations {
    my ($shape) = @_;
    my @cells;
    for my $r (0 .. $#$shape) {
        my @marks = split //, $shape->[$r];
        push @cells, map { [$r, $_] } grep { $marks[$_] eq 'X' } 0 .. $#marks;
    }
    my %found;
    for my $side (\@cells, [map { [$_->[0], -$_->[1]] } @cells]) {
        my @turned = @$side;
        for (1 .. 4) {
            @turned = map { [$_->[1], -$_->[0]] } @turned;
            my ($top, $left) = (min(map { $_->[0] } @turned), min(map { $_->[1] } @turned));
            my @moved = map { [$_->[0] - $top, $_->[1] - $left] } @turned;
            @moved = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @moved;
            $found{join ' ', map { "$_->[0],$_->[1]" } @moved} = \@moved;
        }
    }
    return map { $found{$_} } sort keys %found;    # single digits sort as text
}

# Every way to lay the shape on empty cells.
sub placements {
    my ($shape, $board) = @_;
    my @spots;
    for my $cells (orientations($shape)) {
        my ($lowest, $rightmost) = (max(map { $_->[0] } @$cells), max(map { $_->[1] } @$cells));
        for my $top (0 .. 8 - $lowest) {
            for my $left (0 .. 8 - $rightmost) {
                my @spot = map { [$_->[0] + $top, $_->[1] + $left] } @$cells;
                push @spots, \@spot if all { empty($board, @$_) } @spot;
            }
        }
    }
    return @spots;
}

sub decide {
    my ($start, $state) = @_;
    my ($best, $most);
    for my $move (moves($start, $state)) {
        my $value = value($start, $state, $move);
        ($best, $most) = ($move, $value) if !defined $most || $value > $most;
    }
    return $best;
}

$| = 1;    # flush after every print
my $start;
while (my $line = <STDIN>) {
    my $message = decode_json($line);
    my $type    = $message->{type};
    last if $type eq 'quit';    # "fault" and "end" want no answer
    if ($type eq 'hello') { print encode_json({type => 'hello', protocol => 1, name => 'perl'}), "\n" }
    if ($type eq 'start') {
        my $deck = $message->{cards} // {starts => [], patches => $message->{patches}};
        $start = {%$message, by_id => {map { $_->{id} => $_ } @{$deck->{starts}}, @{$deck->{patches}}}};
        # The seed repeats what rand gives. Uncomment what you use, here and below.
        #srand($start->{seed});    # takes 32 bits
        print encode_json({type => 'ready'}), "\n";
    }
    if ($type eq 'turn') {
        # The time to search in this turn, and numbers for the record:
        #my ($ms, $match, $more) = ($message->{time_ms}, @{$start->{limits}}{qw(match_ms increment_ms)});
        #$start->{budget_ms} = int min($ms * 9 / 10, defined $match ? $ms / 20 + ($more // 0) : $ms);
        my $answer = {type => 'move', id => $message->{id}, move => decide($start, $message->{state})};
        #$answer->{data} = {seed => $start->{seed}, budget_ms => $start->{budget_ms}, chance => rand};
        print encode_json($answer), "\n";
    }
}
