# Sourced by the programs in scripts/: brings the checkout to where it can be built and tested.
# Each function is silent and takes milliseconds when there is nothing to do, and says what is wrong
# and how to fix it when it cannot do its work. Written for bash 3.2, which macOS has.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)

fail() {
    printf 'garuda: %s\n' "$1" >&2
    shift
    if (($#)); then printf '%s\n' "$@" >&2; fi
    exit 1
}

need_python() {
    local cure="Install one with pip (Debian, Ubuntu: apt install python3 python3-pip) and run this again."
    command -v python3 >/dev/null || fail "python3 is not installed." "$cure"
    python3 -c 'import sys; sys.exit(sys.version_info < (3, 8))' ||
        fail "python3 is older than 3.8 or does not work." "$cure"
}

# What a command of `garuda` needs, in one place: prints the libraries that must be there before
# `garuda ARGUMENTS...` is started. Everything that is not named here needs neither.
libraries_of() {
    local argument
    for argument; do
        case $argument in -h | --help) return ;; esac
    done
    case ${1-} in
    train | bench)
        echo libtorch onnxruntime
        for argument; do
            case $argument in --listen | --listen=*) echo nats-server ;; esac
        done
        ;;
    worker) echo onnxruntime ;;
    export)
        case " $* " in
        *torchscript*) echo libtorch ;;
        *nnue*)
            # The name of a game alone writes the network that is shipped. Every option of this command
            # takes a value, and a folder to write to is not a run.
            local is_value=false
            for argument in "${@:2}"; do
                case $is_value$argument in
                false--labels*) echo libtorch && return ;;
                false--*=*) ;;
                false--*) is_value=true ;;
                false*) [[ ! -e $argument ]] || { echo libtorch && return; } ;;
                true*) is_value=false ;;
                esac
            done
            ;;
        esac
        ;;
    match | gauntlet | play | openings | label | serve)
        # Networks are files, and runs are folders; `random` and `uci:...` need no network.
        for argument in "${@:2}"; do
            if [[ -e ${argument#--*=} ]]; then
                echo onnxruntime
                return
            fi
        done
        ;;
    esac
}

# The features of a light build that a command needs, in one place. A `--help` needs none: every build
# explains every command.
features_of() {
    local argument
    for argument; do
        case $argument in -h | --help) return ;; esac
    done
    case ${1-} in
    serve) echo serve ;;
    export-games) echo parquet ;;
    worker | fleet) echo fleet ;;
    esac
}

has_libtorch() { [[ -n ${LIBTORCH-} || -e $root/native/libtorch ]]; }

# Makes sure of the libraries named (libtorch, onnxruntime, and the program nats-server): the user's own
# where LIBTORCH, ORT_DYLIB_PATH and NATS_SERVER say so, else fetched once.
set_up_native() {
    local name names=() ready=true
    for name; do
        if [[ $name == libtorch && -n ${LIBTORCH-} ]]; then
            [[ $LIBTORCH == /* && -d $LIBTORCH/include && -d $LIBTORCH/lib ]] || fail \
                "LIBTORCH is set to '$LIBTORCH', which is not the full path of a libtorch." \
                "Set it to a folder with include/ and lib/ in it, or unset it to have one fetched."
        elif [[ $name == onnxruntime && -n ${ORT_DYLIB_PATH-} ]]; then
            [[ $ORT_DYLIB_PATH == /* && -f $ORT_DYLIB_PATH ]] || fail \
                "ORT_DYLIB_PATH is set to '$ORT_DYLIB_PATH', which is not the full path of a file." \
                "Set it to an ONNX Runtime library, or unset it to have one fetched."
        elif [[ $name == nats-server && -n ${NATS_SERVER-} ]]; then
            [[ $NATS_SERVER == /* && -x $NATS_SERVER ]] || fail \
                "NATS_SERVER is set to '$NATS_SERVER', which is not the full path of a program." \
                "Set it to a nats-server 2.15 or newer, or unset it to have one fetched."
        else
            names+=("$name")
            [[ $root/native/$name/stamp -nt $root/scripts/setup/native.py &&
                ! -e $root/native/.work/$name ]] || ready=false
        fi
    done
    # Empty is as good as unset, but cargo and the programs take it for a path.
    [[ -n ${LIBTORCH-} ]] || unset LIBTORCH
    [[ -n ${ORT_DYLIB_PATH-} ]] || unset ORT_DYLIB_PATH
    [[ -n ${NATS_SERVER-} ]] || unset NATS_SERVER
    $ready && return
    need_python
    python3 "$root/scripts/setup/native.py" "${names[@]}" || exit 1
}

# The Python packages that some checks compare with, pinned in scripts/requirements.txt, in .venv.
set_up_venv() {
    [[ -x $root/.venv/bin/python && -f $root/.venv/stamp &&
        $(<"$root/.venv/stamp") == "$(<"$root/scripts/requirements.txt")" ]] && return
    need_python
    python3 "$root/scripts/setup/venv.py" || exit 1
}

# The engine that the check of .nnue files compares with, pinned in scripts/engine, in .engine.
set_up_engine() {
    [[ -f $root/.engine/stamp &&
        $(<"$root/.engine/stamp") == "$(<"$root/scripts/engine/package-lock.json")" ]] && return
    need_python
    python3 "$root/scripts/setup/engine.py" || exit 1
}

# Rust, new enough, and compilers: C for every build, C++ for the glue to libtorch.
need_compilers() { # full or light
    local wanted found compiler compilers=(cc "${CC:-cc}") language=C package=gcc # Rust links with cc
    local cure="Install Rust with rustup (https://rustup.rs) and run this again."
    wanted=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' "$root/Cargo.toml")
    command -v cargo >/dev/null || fail "cargo is not installed; Rust $wanted or newer is needed." "$cure"
    found=$(cd "$root" && cargo --version 2>&1) || fail "cargo does not work: $found" "$cure"
    found=${found#cargo } found=${found%% *}
    older "$found" "$wanted" && fail "Rust $found is too old; $wanted or newer is needed." \
        "Update it (rustup update) and run this again."
    [[ $1 == full ]] && compilers+=("${CXX:-c++}") language=C++ package=g++
    for compiler in "${compilers[@]}"; do
        command -v "${compiler%% *}" >/dev/null || fail "there is no $language compiler." \
            "Install one (Debian, Ubuntu: apt install $package; macOS: xcode-select --install) and run this again."
    done
}

older() {
    local a=(${1//./ }) b=(${2//./ })
    ((a[0] < b[0] || a[0] == b[0] && a[1] < b[1]))
}

# The release build of `garuda`, by cargo only if something changed since the last one: cargo would find
# that out too, but not in silence. `full` has everything; `light` has the features named, and those that
# earlier commands asked for, so that one program serves all of them. Sets `program` to its path.
build_release() { # full, or light FEATURE...
    local target=$root/target features='' arguments=()
    [[ $1 == light ]] && target=$root/target/light
    program=$target/release/garuda
    local stamp=$program.stamp settings="${LIBTORCH-} ${ORT_DYLIB_PATH-} ${RUSTFLAGS-}"
    if [[ $1 == light ]]; then
        local feature before=''
        [[ -f $program.features ]] && before=$(<"$program.features")
        for feature in fleet serve parquet; do
            case " $before ${*:2} " in *" $feature "*) features+="$feature " ;; esac
        done
        arguments=(--no-default-features --features="$features")
        settings+=" $features"
    fi
    release_is_fresh "$stamp" "$settings" && return
    need_compilers "$1"
    mkdir -p "${stamp%/*}"
    printf '%s\n' "$settings" >"$stamp.new" # before the build: edits made during it are newer
    # In the checkout, whose .cargo/config.toml cargo only finds from there.
    (cd "$root" && cargo build --release --locked --package garuda ${arguments[@]+"${arguments[@]}"} \
        --target-dir "$target") || exit 1
    [[ $1 == full ]] || printf '%s\n' "$features" >"$program.features"
    mv "$stamp.new" "$stamp"
}

release_is_fresh() {
    local stamp=$1 settings=$2 file files list
    [[ -f $stamp && $(<"$stamp") == "$settings" && -x $program ]] || return 1
    for list in "$program"{,-train}.d; do
        # A light build has no garuda-train.
        [[ -e $list || $list == *-train.d ]] || return 1
        [[ -e $list ]] || continue
        # Cargo's list "program: source source ..." with spaces in names escaped, as `read` undoes it.
        read -a files <"$list" || return 1
        for file in "${files[@]:1}" "$root"/{,*/}Cargo.toml "$root"/{Cargo.lock,.cargo/config.toml}; do
            [[ -e $file && ! $file -nt $stamp ]] || return 1
        done
    done
}
