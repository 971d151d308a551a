# Every contact problem of the public test set, if it is at hand, is solved by the default solver to
# 1e-4, 1e-8 and 1e-12, in the relative measure and verified from the data.
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

data=$PERCUSS_SOURCE/../shared/data/contact-problems
if [[ ! -d $data ]]; then
    echo "skipped: no folder $data"
    exit 77
fi

files=()
for class in fc3d fc2d global lcp mlcp; do
    mapfile -t found < <(find "$data/$class" -name '*.dat' -o -name '*.hdf5' | LC_ALL=C sort)
    [[ ${#found[@]} -gt 0 ]] || fail "no problems in $data/$class"
    files+=("${found[@]}")
done

for tolerance in 1e-4 1e-8 1e-12; do
    expect_code 0 solve "${files[@]}" --tol "$tolerance"
    expect_empty err
    # A heading, and one line for each file; `solved` means that the check confirms the tolerance.
    [[ $(wc -l <out) -eq $((${#files[@]} + 1)) ]] || { cat out; fail "lines at $tolerance"; }
    tail -n +2 out | grep -vE ' auto +solved +[0-9.e+-]+ ' >unsolved || true
    expect_empty unsolved
done
