#!/usr/bin/env bash
# Drives the example `agent_loop` against a third-party mock of the model APIs, complete and streamed one character at a
# time, and with 10 % malformed responses. Requires Node 20 or newer.
#
#   tests/mock_models.sh
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
mock=
trap '[[ -z $mock ]] || kill "$mock" 2>/dev/null || true; rm -rf "$scratch"' EXIT

${CARGO:-cargo} build --quiet --manifest-path "$root/Cargo.toml" -p examples --example agent_loop --features http
program=${CARGO_TARGET_DIR:-$root/target}/debug/examples/agent_loop
npm install --silent --no-audit --no-fund --prefix "$scratch" @copilotkit/aimock@1.43 >"$scratch/npm.log" 2>&1 || {
    cat "$scratch/npm.log" >&2
    exit 1
}
mkdir "$scratch/work"
echo "Tulips are red." >"$scratch/work/a.txt"
echo "Tulips need water." >"$scratch/work/b.txt"

# Starts the mock on a free port with the given options.
start() {
    port=$((20000 + RANDOM % 20000))
    "$scratch/node_modules/.bin/llmock" --port "$port" --fixtures "$root/tests/fixtures/mock_models" \
        --log-level silent "$@" >"$scratch/mock.log" 2>&1 &
    mock=$!
    for _ in $(seq 100); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return
        sleep 0.1
    done
    cat "$scratch/mock.log" >&2
    exit 1
}

stop() {
    kill "$mock"
    wait "$mock" 2>/dev/null || true
    mock=
}

# Runs the example with a provider; further arguments are options.
run() {
    local provider=$1 path=$2
    shift 2
    env OPENAI_API_KEY=mock ANTHROPIC_API_KEY=mock GEMINI_API_KEY=mock COHERE_API_KEY=mock AWS_BEARER_TOKEN_BEDROCK=mock \
        AZURE_OPENAI_API_KEY=mock GROQ_API_KEY=mock MISTRAL_API_KEY=mock OPENROUTER_API_KEY=mock DEEPSEEK_API_KEY=mock \
        XAI_API_KEY=mock "$program" --provider "$provider" --model some-model --base-url "http://127.0.0.1:$port$path" \
        --workspace "$scratch/work" --task "Read the files." "$@" </dev/null >"$scratch/out.txt" 2>&1
}

# Runs a provider and checks the steps of the run.
check() {
    local name="$1 ${*:3}"
    run "$@" || { echo "$name: exit status $?" >&2; cat "$scratch/out.txt" >&2; exit 1; }
    for part in "✓ list_files" "✓ read_file" "✓ todo_manager" "✗ read_file" "✗ no_such_tool" \
        "Both files are about tulips 🌷." "completed: 5 of 20 turns, 6 calls"; do
        grep -qF "$part" "$scratch/out.txt" || { echo "$name: no \`$part\`" >&2; cat "$scratch/out.txt" >&2; exit 1; }
    done
    echo "ok $name"
}

wires=("openai /v1" "openai_responses /v1" "anthropic /" "gemini /" "ollama /" "cohere /" "bedrock /" "openrouter /api/v1"
    "mistral /v1" "groq /v1" "deepseek /v1" "xai /v1")

start --chunk-size 1
for wire in "${wires[@]}"; do
    read -r provider path <<<"$wire"
    check "$provider" "${path%/}"
    check "$provider" "${path%/}" --stream
done
stop

# Each run has five requests, of which 10 % fail.
start --chunk-size 20 --chaos-malformed 0.1
for number in $(seq 40); do
    read -r provider path <<<"${wires[$((number % ${#wires[@]}))]}"
    check "$provider" "${path%/}" --stream --attempts 6
done
stop
