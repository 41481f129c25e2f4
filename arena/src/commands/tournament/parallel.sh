
# Keep this as a file. On this machine alone: bash FILE. On many, with lines such as 1/user@host in the file
# hosts: bash FILE --sshloginfile "$PWD/hosts". The 1 is one shard at a time, which plays on all cores of its host.
# The folder and this file must be there on all hosts. Run it again to go on: finished matches are never played twice.
script=$(realpath "$0")
cd "$folder" || exit
if [ "$1" = --one-shard ]; then
    exec "$arena" tournament "${options[@]}" --shard "$2/$shards"
fi
mkdir -p "$out" || exit
seq 0 "$((shards - 1))" |
    parallel --jobs 1 --joblog "$out/joblog" --retries 5 "$@" --quote bash "$script" --one-shard {} &&
    "$arena" merge "$out" --out "$out-whole"
