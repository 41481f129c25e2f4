-- | A bot for both games: it lays patches where they touch most. Write your strategy into 'value'.
module Main (main) where

import Data.List (nub, sort, sortOn)
import qualified Data.Map.Strict as Map
import qualified Data.Set as Set
import System.IO

import Json

type Cell = (Int, Int) -- row and column, both 0 to 8
type Free = Set.Set Cell -- the empty cells of a board

-- What is used of the messages. A field is read when it is needed, so one that a game lacks does no harm.
data Patch = Patch { shape :: [String], buttons, time, income :: Int }
data Start = Start { game :: String, seat :: Int, patches :: Map.Map String Patch
  --, seed :: Int, limits :: Json -- for chance and time; uncomment what you use, here and below
  , marks :: [Int] }
data State = State { phase :: String, offer, circle :: [String], free :: Free, purse, space :: Int }
data Move = Draw String [Cell] | Pass | Buy String [Cell] | Leather Cell | Advance

-- | The moves that are looked at. All are legal; protocol.md tells of more.
moves :: Start -> State -> [Move]
moves start state
  | game start == "doodle" =
      [Draw card cells | card <- offer state, cells <- places card] ++ [Pass | phase state /= "start"]
  | phase state == "leather" = [Leather cell | [cell] <- placements ["X"] (free state)]
  | otherwise =
      [Buy patch cells | patch <- take 3 (circle state), payable patch, cells <- places patch] ++ [Advance]
  where
    places patch = placements (shape (patches start Map.! patch)) (free state)
    payable patch = buttons (patches start Map.! patch) <= purse state

-- | How good a move is; the first of the best is played.
value :: Start -> State -> Move -> Int
value start state move = case move of
  Pass -> -1
  Advance -> 0
  Draw _ cells -> contact cells (free state)
  Leather cell -> contact [cell] (free state)
  Buy name cells -> 100 * worth + contact cells (free state)
    where
      patch = patches start Map.! name
      payments = length (filter (> space state) (marks start))
      worth = 2 * length cells + payments * income patch - buttons patch - time patch

-- | How many sides of the cells touch the edge or a covered cell.
contact :: [Cell] -> Free -> Int
contact cells empty = length (filter (`Set.notMember` empty) (concatMap around cells))
  where around (r, c) = [(r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)]

decide :: Start -> State -> Move
decide start state = head (sortOn (negate . value start state) (moves start state))

-- | The distinct rotations and flips of a shape, each moved to the top left corner.
orientations :: [String] -> [[Cell]]
orientations rows = nub (sort (map corner (turns cells ++ turns [(r, -c) | (r, c) <- cells])))
  where
    cells = marked 'X' rows
    turns = take 4 . iterate (map (\(r, c) -> (c, -r)))
    corner turned = sort [(r - minimum (map fst turned), c - minimum (map snd turned)) | (r, c) <- turned]

-- | Every way to lay the shape on empty cells.
placements :: [String] -> Free -> [[Cell]]
placements rows empty =
  [ spot
  | cells <- orientations rows
  , top <- [0 .. 8 - maximum (map fst cells)]
  , left <- [0 .. 8 - maximum (map snd cells)]
  , let spot = [(r + top, c + left) | (r, c) <- cells]
  , all (`Set.member` empty) spot ]

-- | The cells that have a mark.
marked :: Char -> [String] -> [Cell]
marked mark rows = [(r, c) | (r, row) <- zip [0 ..] rows, (c, found) <- zip [0 ..] row, found == mark]

readStart :: Json -> Start
readStart message = Start
  { game = text (message ! "game"), seat = int (message ! "seat")
  --, seed = int (message ! "seed"), limits = message ! "limits"
  , patches = Map.fromList (map patch cards), marks = map int (items (message ! "track" ! "income")) }
  where
    cards = case text (message ! "game") of
      "doodle" -> items (message ! "cards" ! "starts") ++ items (message ! "cards" ! "patches")
      _ -> items (message ! "patches")
    patch p = (text (p ! "id"), Patch (texts (p ! "cells")) (has "buttons") (has "time") (has "income"))
      where has name = int (p ! name)

readState :: Start -> Json -> State
readState start state = State
  { phase = text (state ! "phase"), offer = texts (state ! "offer"), circle = texts (state ! "circle")
  , free = Set.fromList (marked '.' (texts (me ! "board"))), purse = int (me ! "buttons")
  , space = int (me ! "space") }
  where me = items (state ! "players") !! seat start

-- | A move as the arena reads it; ids need no escapes.
written :: Move -> String
written move = case move of
  Draw card cells -> "{\"card\":" ++ show card ++ ",\"cells\":" ++ list cells ++ "}"
  Pass -> "{\"pass\":true}"
  Buy patch cells -> "{\"buy\":" ++ show patch ++ ",\"cells\":" ++ list cells ++ "}"
  Leather (r, c) -> "{\"leather\":" ++ show [r, c] ++ "}"
  Advance -> "{\"advance\":true}"
  where list cells = show [[r, c] | (r, c) <- cells]

-- | Talks to the arena until it says goodbye or its end of the pipe closes.
talk :: Maybe Start -> [Json] -> IO ()
talk _ [] = pure ()
talk match (message : others) = case (text (message ! "type"), match) of
  ("hello", _) -> putStrLn "{\"type\":\"hello\",\"protocol\":1,\"name\":\"haskell\"}" >> talk match others
  ("start", _) -> putStrLn "{\"type\":\"ready\"}" >> talk (Just (readStart message)) others
  ("turn", Just start) -> do
    let (turn, move) = (int (message ! "id"), decide start (readState start (message ! "state")))
    putStr ("{\"type\":\"move\",\"id\":" ++ show turn ++ ",\"move\":" ++ written move)
    -- Dice from this turn on (below 2^53), the time to search in this turn, and numbers for the record:
    --let dice = drop turn (iterate (\n -> (n * 6364136223846793005 + 1) `mod` 9007199254740992) (seed start))
    --let ms = int (message ! "time_ms"); share = ms `div` 20 + maybe 0 int (limits start !? "increment_ms")
    --let budgetMs = min (ms * 9 `div` 10) (maybe ms (const share) (limits start !? "match_ms"))
    --putStr (",\"data\":{\"seed\":" ++ show (seed start) ++ ",\"budget_ms\":" ++ show budgetMs)
    --putStr (",\"chance\":" ++ show (fromIntegral (dice !! 1) / 9007199254740992 :: Double) ++ "}")
    putStrLn "}"
    talk match others
  ("quit", _) -> pure ()
  _ -> talk match others -- "fault" and "end" want no answer

main :: IO ()
main = do
  mapM_ (`hSetEncoding` utf8) [stdin, stdout]
  hSetBuffering stdout LineBuffering -- a pipe would be written in blocks
  talk Nothing . map parse . lines =<< getContents -- which is lazy: a line is read when it is asked for
