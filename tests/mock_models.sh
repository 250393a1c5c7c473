#!/usr/bin/env bash
# Drives the example `task` against a third-party mock of the model APIs: every wire, complete and streamed one
# character at a time, with each fault of `tests/fixtures/mock_models/faults.json`, and with 10 % malformed responses.
# Requires Node 20 or newer.
#
#   tests/mock_models.sh
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
mocks=()
stop() {
    for mock in "${mocks[@]}"; do
        kill "$mock" 2>/dev/null || true
        wait "$mock" 2>/dev/null || true
    done
    mocks=()
}
trap 'stop; rm -rf "$scratch"' EXIT

# shellcheck source=tests/programs.sh
. "$root/tests/programs.sh"
need_programs task
program=$programs/task
npm install --silent --no-audit --no-fund --prefix "$scratch" @copilotkit/aimock@1.43 >"$scratch/npm.log" 2>&1 || {
    cat "$scratch/npm.log" >&2
    exit 1
}
mkdir "$scratch/work"
echo "Tulips are red." >"$scratch/work/a.txt"
echo "Tulips need water." >"$scratch/work/b.txt"

# Starts the mock with the given options on a free port. Sets `port`.
start() {
    for _ in $(seq 10); do
        # Below the ports that the system gives to clients.
        port=$((20000 + RANDOM % 12000))
        ! is_open || continue
        "$scratch/node_modules/.bin/llmock" --port "$port" --log-level silent "$@" >"$scratch/mock.log" 2>&1 &
        mocks+=($!)
        for _ in $(seq 300); do
            # Another program may have taken the port since; then the mock ends.
            kill -0 $! 2>/dev/null || break
            ! is_open || return 0
            sleep 0.1
        done
    done
    cat "$scratch/mock.log" >&2
    exit 1
}

# Returns whether something listens on `port`.
is_open() {
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null
}

# Runs the example with a provider, the path of its API and a task; further arguments are options.
run() {
    local provider=$1 path=$2 task=$3
    shift 3
    env OPENAI_API_KEY=mock ANTHROPIC_API_KEY=mock GEMINI_API_KEY=mock COHERE_API_KEY=mock AWS_BEARER_TOKEN_BEDROCK=mock \
        AZURE_OPENAI_API_KEY=mock GROQ_API_KEY=mock MISTRAL_API_KEY=mock OPENROUTER_API_KEY=mock DEEPSEEK_API_KEY=mock \
        XAI_API_KEY=mock GITHUB_TOKEN=mock "$program" --provider "$provider" --model some-model \
        --base-url "http://127.0.0.1:$port$path" --workspace "$scratch/work" --task "$task" "$@" \
        </dev/null >"$scratch/out.txt" 2>"$scratch/err.txt"
}

# Prints the output of the last run and ends the script.
fail() {
    printf '%s\n' "$1" >&2
    cat "$scratch/out.txt" "$scratch/err.txt" >&2
    exit 1
}

# Checks that the output of the last run has each part.
has() {
    local name=$1
    shift
    for part in "$@"; do
        grep -qF "$part" "$scratch/out.txt" || fail "$name: no \`$part\`"
    done
}

# Runs a provider and checks the steps of the run.
check() {
    local name="$1 ${*:3}"
    run "$1" "$2" "Read the files." "${@:3}" || fail "$name: exit status $?"
    has "$name" "✓ list" "✓ read" "✓ plan" "✗ read" "✗ no_such_tool" \
        "Both files are about tulips 🌷." "completed: 5 of 20 turns, 6 calls"
}

# Returns whether a list of providers contains one. A list with `-` names those that it omits.
is_in() {
    if [[ -z $2 || $2 == -* ]]; then
        [[ " $2 " != *" -$1 "* ]]
    else
        [[ " $2 " == *" $1 "* ]]
    fi
}

# Runs a provider with a fault. Checks its exit status, its line, and that another server continues the transcript without
# repeating a call. `healthy` and `faulty` are ports.
check_fault() {
    local provider=$1 path=$2 fault=$3 expected=$4 line=$5 status=0 timeout=60
    local name="$provider, $fault"
    # The mock is silent for longer than a loaded machine takes to reply.
    [[ $fault != silence ]] || timeout=3
    rm -f "$scratch/run.jsonl"
    port=$faulty
    run "$provider" "$path" "Fault: $fault" --stream --attempts 1 --timeout "$timeout" \
        --transcript "$scratch/run.jsonl" || status=$?
    [[ $status == "$expected" ]] || fail "$name: exit status $status, expected $expected"
    [[ ! -e $scratch/work/written.txt ]] || fail "$name: a truncated call ran"
    [[ $expected == 0 ]] && return
    [[ $(wc -l <"$scratch/err.txt") == 1 ]] || fail "$name: not one line"
    grep -qE "^error: .*($line)" "$scratch/err.txt" || fail "$name: no \`$line\`"
    port=$healthy
    run "$provider" "$path" "" --stream --transcript "$scratch/run.jsonl" --resume || fail "$name: the transcript does not resume"
    has "$name, resumed" "Both files are about tulips 🌷." "completed: "
    ! grep -qF "→ list" "$scratch/out.txt" || fail "$name: a finished call ran again"
}

wires=("openai /v1" "openai_responses /v1" "azure /openai/v1" "copilot /v1" "groq /v1" "deepseek /v1" "xai /v1"
    "openrouter /api/v1" "mistral /v1" "cohere /" "anthropic /" "bedrock /" "gemini /" "gemini_openapi /" "ollama /")
good=$root/tests/fixtures/mock_models/run.json
bad=$root/tests/fixtures/mock_models/faults.json

start --fixtures "$good" --chunk-size 1
for wire in "${wires[@]}"; do
    read -r provider path <<<"$wire"
    check "$provider" "${path%/}"
    check "$provider" "${path%/}" --stream
done
echo "${#wires[@]} wires completed, complete and streamed"
healthy=$port

start --fixtures "$bad" --fixtures "$good" --chunk-size 1
faulty=$port
runs=0
cut="the response is incomplete; try again"
# Bedrock sends complete replies; Gemini and Ollama send calls in one event; the mock has one finish reason for Ollama.
while IFS='|' read -r fault only expected line; do
    for wire in "${wires[@]}"; do
        read -r provider path <<<"$wire"
        is_in "$provider" "$only" || continue
        check_fault "$provider" "${path%/}" "$fault" "$expected" "$line"
        runs=$((runs + 1))
    done
done <<END
invalid key||1|rejected the API key \(status 401\); check the key|requires an API key; set it
rate limit||1|rate limit is exceeded; try again in 7 seconds
server error||1|unavailable \(status 500\): Oops; try again later
context overflow||1|9000 of at most 8192 tokens; shorten it or use a model with a larger context
malformed response||1|invalid response: .*check that the base URL|$cut
closed connection||1|closed the connection without a response; check that scheme and port|$cut
truncated text|-bedrock|1|$cut
truncated arguments|-bedrock -gemini -gemini_openapi -ollama|1|$cut
silence|-bedrock|1|sent no data for 3 seconds; raise the idle timeout or try again
empty answer||1|returned an empty answer twice; change the task or the model
length stop|-ollama|1|truncated by a token limit; raise the output token limit|incomplete for an unknown reason; try again later
refusal|-anthropic -bedrock -cohere -ollama|1|blocked or declined; change the task|(failed without a message|incomplete for an unknown reason); try again later
refusal of Anthropic|anthropic|1|blocked or declined; change the task
filter of Bedrock|bedrock|1|blocked or declined; change the task
error of Cohere|cohere|1|; try again
unknown finish reason|-ollama|1|without a final answer; try again|incomplete for an unknown reason; try again later
END
echo "$runs runs with faults ended as expected, and their transcripts resumed"
stop

# Each run has five requests, of which 10 % fail.
start --fixtures "$good" --chunk-size 20 --chaos-malformed 0.1
for number in $(seq 40); do
    read -r provider path <<<"${wires[$((number % ${#wires[@]}))]}"
    check "$provider" "${path%/}" --stream --attempts 6
done
echo "40 of 40 runs completed with 10 % malformed responses"
