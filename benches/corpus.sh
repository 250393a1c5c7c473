#!/usr/bin/env bash
# Builds the two trees that the benches search, from packages by name and version, through cargo itself.
# They are written to target/corpus: `large`, about 88,000 files and 1.2 GB, and `small`, about 2,900 files and 55 MB.
set -euo pipefail
cd "$(dirname "$0")/.."

corpus=target/corpus
mkdir -p "$corpus/src"
: >"$corpus/src/lib.rs"
{
  printf '[package]\nname = "corpus"\nversion = "0.0.0"\nedition = "2021"\n\n[workspace]\n\n[dependencies]\n'
  while read -r name version; do
    printf '%s = { version = "=%s", default-features = false }\n' "$name" "$version"
  done <<'PACKAGES'
aws-sdk-backup 1.132.0
aws-sdk-bedrockagent 1.156.0
aws-sdk-chime 1.121.0
aws-sdk-cloudfront 1.141.0
aws-sdk-cognitoidentityprovider 1.144.0
aws-sdk-config 1.131.0
aws-sdk-customerprofiles 1.136.0
aws-sdk-databasemigration 1.133.0
aws-sdk-datazone 1.167.0
aws-sdk-deadline 1.125.0
aws-sdk-dynamodb 1.136.0
aws-sdk-ec2 1.274.0
aws-sdk-ecs 1.157.0
aws-sdk-iam 1.133.0
aws-sdk-iot 1.135.0
aws-sdk-iotwireless 1.129.0
aws-sdk-lambda 1.156.0
aws-sdk-lexmodelsv2 1.132.0
aws-sdk-lightsail 1.135.0
aws-sdk-medialive 1.165.0
aws-sdk-opensearch 1.157.0
aws-sdk-pinpoint 1.121.0
aws-sdk-rds 1.159.0
aws-sdk-redshift 1.128.0
aws-sdk-route53 1.132.0
aws-sdk-s3 1.157.0
aws-sdk-sagemaker 1.248.0
aws-sdk-ssm 1.133.0
aws-sdk-ssoadmin 1.125.0
aws-sdk-storagegateway 1.127.0
aws-sdk-wafv2 1.139.0
boring-sys 4.22.0
grpcio-sys 0.13.0
libgit2-sys 0.18.8
librocksdb-sys 0.17.3
openssl-src 300.6.1
v8 0.106.0
web-sys 0.3.107
windows 0.61.3
PACKAGES
} >"$corpus/Cargo.toml"
(cd "$corpus" && cargo vendor --quiet large >/dev/null)

rm -rf "$corpus/small"
mkdir "$corpus/small"
cp -r "$corpus"/large/{libgit2-sys,librocksdb-sys,linux-raw-sys} "$corpus/small"

# Make both trees Git repositories with ignore rules.
for tree in "$corpus"/{large,small}; do
  mkdir -p "$tree/.git"
  printf '*.lock\n/target/\n*.orig\n!keep.lock\n' >"$tree/.gitignore"
  echo "$tree: $(find "$tree" -type f | wc -l) files, $(du -sm --apparent-size "$tree" | cut -f1) MB"
done
