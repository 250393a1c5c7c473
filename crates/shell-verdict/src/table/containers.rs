//! Containers, and the clusters that they run in.

use super::{Operands, Row, row, ruled};
use crate::verdict::CommandRule;

pub(super) const PROGRAMS: &[Row] = &[
    row(
        "docker podman nerdctl",
        "-vD -H=A -c=A -l=V --host=A --context=A --config=A --log-level=V --debug --version",
        Operands::Subcommand,
    ),
    row(
        "docker-compose podman-compose",
        "-v -f=R -p=V --file=R --project-name=V --profile=V --version",
        Operands::Subcommand,
    ),
    row(
        "kubectl",
        "-n=V --namespace=V --context=V",
        Operands::Subcommand,
    ),
];

pub(super) const DOCKER: &[Row] = &[
    row(
        "compose",
        "-f=R -p=V --file=R --project-name=V --profile=V",
        Operands::Subcommand,
    ),
    row(
        "container image volume network context system",
        "",
        Operands::Subcommand,
    ),
    row(
        "ps images version info logs inspect stats top port diff history",
        "-aqfnt -n=V -f=V --all --quiet --format=V --filter=V --tail=V --no-trunc --no-stream --since=V",
        Operands::Any,
    ),
    ruled(
        "run exec build start stop restart rm rmi pull push cp login create kill commit tag",
        CommandRule::Interpreter,
    ),
];

pub(super) const COMPOSE: &[Row] = &[
    row(
        "ps logs config images top version ls port",
        "-aqfnt -n=V --all --quiet --format=V --filter=V --tail=V --services --since=V --follow --no-color",
        Operands::Any,
    ),
    ruled(
        "up down run exec build start stop restart rm pull push create kill pause unpause cp",
        CommandRule::Interpreter,
    ),
];

pub(super) const CONTAINER: &[Row] = &[
    row(
        "ls list ps inspect logs stats top port diff",
        "-aqfntl -n=V -f=V --all --quiet --format=V --filter=V --tail=V --no-trunc --no-stream --since=V --last=V --latest --size",
        Operands::Any,
    ),
    ruled(
        "run exec create start stop restart rm cp kill commit attach pause unpause prune rename update wait export",
        CommandRule::Interpreter,
    ),
];

pub(super) const OBJECTS: &[Row] = &[
    row(
        "ls list inspect show history",
        "-aq -f=V --all --quiet --format=V --filter=V --no-trunc --digests",
        Operands::Any,
    ),
    ruled(
        "build pull push rm remove prune tag save load import export create connect disconnect use update",
        CommandRule::Interpreter,
    ),
];

pub(super) const DOCKER_SYSTEM: &[Row] = &[
    row("df info", "-v --format=V", Operands::None),
    ruled("prune events dial-stdio", CommandRule::Interpreter),
];

pub(super) const KUBECTL: &[Row] = &[
    row(
        "get",
        "-Aw -n=V -o=V -l=V -L=V --all-namespaces --namespace=V --output=V --selector=V --show-labels --show-kind --watch --no-headers --sort-by=V --field-selector=V --context=V --ignore-not-found",
        Operands::Any,
    ),
    row(
        "describe",
        "-A -n=V -l=V --all-namespaces --namespace=V --selector=V --context=V",
        Operands::Any,
    ),
    row(
        "logs",
        "-fp -n=V -c=V -l=V --namespace=V --container=V --tail=V --since=V --follow --previous --timestamps --all-containers --prefix --selector=V --context=V",
        Operands::Any,
    ),
    row(
        "top version cluster-info api-resources api-versions explain",
        "-A -n=V -o=V --all-namespaces --namespace=V --output=V --client --recursive --containers --context=V",
        Operands::Any,
    ),
    row("auth", "", Operands::Subcommand),
    row("config", "", Operands::Subcommand),
    row("rollout", "", Operands::Subcommand),
    ruled(
        "apply create delete edit patch exec cp port-forward proxy run scale set label annotate drain cordon uncordon taint attach debug wait expose autoscale replace diff kustomize certificate plugin",
        CommandRule::Network,
    ),
];

pub(super) const KUBECTL_CONFIG: &[Row] = &[
    row(
        "current-context get-contexts get-clusters get-users",
        "-o=V --no-headers --output=V",
        Operands::Any,
    ),
    row("view", "--minify", Operands::None),
    ruled(
        "use-context use set-context set-cluster set-credentials set unset delete-context delete-cluster delete-user rename-context",
        CommandRule::Protected,
    ),
];

pub(super) const KUBECTL_ROLLOUT: &[Row] = &[
    row(
        "status history",
        "-n=V --namespace=V --revision=V --watch --timeout=V --context=V",
        Operands::Any,
    ),
    ruled("restart undo pause resume", CommandRule::Network),
];

pub(super) const KUBECTL_AUTH: &[Row] = &[
    row(
        "can-i whoami",
        "-Aq -n=V --all-namespaces --namespace=V --list --quiet --as=V --context=V",
        Operands::Any,
    ),
    ruled("reconcile", CommandRule::Network),
];
