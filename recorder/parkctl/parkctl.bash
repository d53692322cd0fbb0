# Bash completion of parkctl. tests/report ties its words to parkctl's own tables.
_parkctl()
{
    local cur=${COMP_WORDS[COMP_CWORD]} first=${COMP_WORDS[1]} command
    local alone="list run serve help version --via="
    local file="now report tree memory findings whatif diff export info verify"
    local pid="attach status now report tree memory heap findings whatif export dump follow start stop set help"
    local filter="--from= --to= --idle --categories= --accounts="
    local rows="--format= --limit= --sort="
    local words="" option="" aspects

    # Bash parts words at "=". The aspects are those that parkctl itself names.
    aspects=$(parkctl help tree 2>/dev/null | sed -n '/^Aspects:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
    for words in $aspects; do filter+=" --$words="; done
    words=""
    ((COMP_CWORD > 2)) && option=${COMP_WORDS[COMP_CWORD - 1]}
    [[ $option == = ]] && option=${COMP_WORDS[COMP_CWORD - 2]}
    if [[ $option == --by ]]; then
        [[ $cur == = ]] && cur=""
        words=$aspects
        [[ $cur == *,* ]] && option=${cur%,*}, || option=""
        mapfile -t COMPREPLY < <(compgen -P "$option" -W "$words" -- "${cur##*,}")
        compopt -o nospace
        return
    fi

    # Bash expands the words it is given: of what a recorder is called nothing may be among them.
    if ((COMP_CWORD == 1)); then
        words="$alone $file $(parkctl list --format=csv 2>/dev/null | cut -d, -f1 | grep -x '[0-9]*')"
    elif [[ $first =~ ^[0-9]+$ ]] && ((COMP_CWORD == 2)); then
        words=$pid
    else
        command=$first
        [[ $first =~ ^[0-9]+$ ]] && command=${COMP_WORDS[2]}
        case $command in
        now) words="$filter $rows --at= --chains" ;;
        report) words="$filter $rows --since-start --pools" ;;
        findings) words="$filter --format= --limit=" ;;
        whatif) words="$filter --format= --limit= --hold=" ;;
        diff) words="$filter --format= --limit= --by=" ;;
        tree) words="$filter $rows --by=" ;;
        memory) words="${filter/--idle --categories= /} $rows --by= --between= --gc --collapsed=" ;;
        heap) words="--format= --limit= --path= --yes --accounts=" ;;
        export) words="${filter/--to= /} --to= --by=" ;;
        dump | follow) words="--filename= --maxage=" ;;
        list) words="--format= --all" ;;
        status | info | verify) words="--format=" ;;
        help) words="$alone $file $pid" ;;
        run) words="--" ;;
        esac
        [[ $cur == -* || $command == help ]] || words=""
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    if ((${#COMPREPLY[@]} == 0)) && [[ $cur != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    fi
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o filenames -F _parkctl parkctl
