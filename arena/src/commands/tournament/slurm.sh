
# Keep this as a file and submit it: sbatch FILE. When the queue is empty:
#   cd "$folder" && "$arena" merge "$out" --out "$out-whole"
# It names unfinished shards; sbatch --array=3,7 FILE plays shards 3 and 7 again.
# Finished matches are never played twice. The folder must be there on all nodes.
cd "$folder" || exit
mkdir -p "$out/log" && exec >>"$out/log/shard-$SLURM_ARRAY_TASK_ID.log" 2>&1 || exit
echo "shard $SLURM_ARRAY_TASK_ID on $(uname -n), $(date)"
srun --cpus-per-task="$SLURM_CPUS_PER_TASK" \
    "$arena" tournament "${options[@]}" --shard "$SLURM_ARRAY_TASK_ID/$shards"
status=$?
# 75 means: try again. The job was ended for others or for its time limit, or the node is in trouble.
if [ "$status" -eq 75 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
