# Sourced by scripts/test: runs checks, counts, and reports. Written for bash 3.2, which macOS has.
#
# A check is a function. It counts as the tests that it reports, in the words of cargo test, nextest or
# unittest or as "N passed, M failed" on a line; if it reports none, as one test. A check that cannot be
# made here prints "skipped: why". Its output is kept in $logs.

logs=target/checks

# Prints "PASSED FAILED SKIPPED" for a check's output, on standard input, and its exit status.
count() {
    sed $'s/\033\\[[0-9;]*m//g' | awk -v status="$1" '
        /^test result: / { said = 1; passed += $4; failed += $6; skipped += $8 }
        /^ *Summary \[.* run: / {
            said = 1; sub(/.*\] */, ""); passed += $4; failed += $1 - $4
            if ($NF == "skipped") skipped += $(NF - 1)
        }
        /^Ran [0-9]+ tests? in / { said = 1; passed += $2 }
        /^(OK|FAILED) \(.*=/ {
            left_out = /skipped=/ ? substr($0, match($0, /skipped=/) + 8) + 0 : 0
            gsub(/[^0-9]+/, " ")
            bad = -left_out; for (i = 1; i <= NF; i++) bad += $i
            passed -= bad + left_out; skipped += left_out; if (status) failed += bad
        }
        /^[0-9]+ passed, [0-9]+ failed$/ { said = 1; passed += $1; failed += $3 }
        /^skipped: / { said = 1; skipped++ }
        END {
            if (status && !failed) failed = 1
            if (!status && !said) passed = 1
            print passed + 0, failed + 0, skipped + 0
        }'
}

# Runs `checks` one after the other, and beside them `checks_beside`: lists of checks, which run beside each
# other, those of one list one after the other. Those in `built_for` wait for the end of the check named by
# `building`. The output of the first is shown as it comes, that of the others after the check during which
# they ended. Ends with the number of tests that passed, failed and were skipped.
run_checks() {
    local check status started total=$SECONDS passed=0 failed=0 skipped=0 notes=() waiting=(${checks_beside[*]})
    mkdir -p "$logs"
    rm -f "$logs"/*.ended
    # A process group of its own, to be ended as a whole.
    set -m
    run_beside </dev/null >/dev/null 2>&1 &
    trap "kill -- -$! 2>/dev/null" EXIT
    set +m
    trap 'exit 130' INT TERM
    for check in "${checks[@]}"; do
        printf '\n=== %s\n' "$check"
        started=$SECONDS
        "$check" 2>&1 | tee "$logs/$check.log"
        status=${PIPESTATUS[0]}
        note_end "$check" "$status" $((SECONDS - started))
        report "$check"
        while ((${#waiting[@]})) && [[ -e $logs/${waiting[0]}.ended ]]; do report_next; done
    done
    while ((${#waiting[@]})); do
        until [[ -e $logs/${waiting[0]}.ended ]]; do sleep 0.1; done
        report_next
    done
    echo
    for check in ${notes[@]+"${notes[@]}"}; do echo "$check"; done
    ((total = SECONDS - total))
    echo "$((total / 60)) min $((total % 60)) s"
    echo "$passed passed, $failed failed, $skipped skipped"
    ((failed == 0))
}

run_beside() {
    local list
    for list in "${checks_beside[@]}"; do run_list $list & done
    wait
}

run_list() { # checks
    local check started status
    for check; do
        case " $built_for " in
        *" $check "*) until [[ -e $logs/$building.ended ]]; do sleep 0.1; done ;;
        esac
        started=$SECONDS
        ("$check") >"$logs/$check.log" 2>&1
        status=$?
        note_end "$check" "$status" $((SECONDS - started))
    done
}

note_end() { # check, status, seconds
    echo "$2 $3" >"$logs/$1.ending"
    mv "$logs/$1.ending" "$logs/$1.ended"
}

# The counts of a check that has ended, added to those of run_checks.
report() {
    local status seconds counts note
    read -r status seconds <"$logs/$1.ended"
    read -r -a counts < <(count "$status" <"$logs/$1.log")
    printf '=== %s: %d passed, %d failed, %d skipped, %d s\n' "$1" "${counts[@]}" "$seconds"
    ((passed += counts[0], failed += counts[1], skipped += counts[2]))
    if ((counts[1])); then notes+=("FAILED: $1, see $logs/$1.log"); fi
    while IFS= read -r note; do notes+=("$1 $note"); done < <(grep '^skipped: ' "$logs/$1.log")
}

report_next() {
    printf '\n=== %s\n' "${waiting[0]}"
    cat "$logs/${waiting[0]}.log"
    report "${waiting[0]}"
    waiting=("${waiting[@]:1}")
}
