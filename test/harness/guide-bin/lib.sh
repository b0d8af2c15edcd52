# What the programs of this folder share. They come first on the PATH of the shell that runs the guide's commands
# (test/docs-commands.test.ts), which gives: GUIDE, a folder for notes; GUIDE_NODE, GUIDE_CURL, the true programs; GUIDE_ROOT, the
# repository; GUIDE_DATA_DIR, the folder of the server that runs; GUIDE_TAIL_URL, a webhook whose runs "runs tail" can show.

# A program that runs until somebody presses Ctrl+C goes to the background, once it is ready.
start_in_background() { # <name> <condition> <command…>
  local name=$1 is_ready=$2 log="$GUIDE/$1.log"
  shift 2
  stop_background "$name" INT
  : >"$log"
  # In a session of its own, and away from the shell's output, which would otherwise never end.
  setsid "$@" >"$log" 2>&1 </dev/null &
  echo $! >"$GUIDE/$name.pid"
  echo "start $name" >>"$GUIDE/processes"
  until eval "$is_ready"; do
    kill -0 $! 2>/dev/null || { cat "$log" >&2; return 1; }
    sleep 0.05
  done
}

start_server() { # <command…>
  # That folder is the one of the server that runs already.
  [ "$MILLRACE_DATA_DIR" = "$GUIDE_DATA_DIR" ] && unset MILLRACE_DATA_DIR
  start_in_background "server-${MILLRACE_PORT:-8080}" 'grep -q "is ready" "$log"' "$@"
}

stop_background() { # <name> <signal>
  [ -e "$GUIDE/$1.pid" ] || return 0
  local pid
  pid=$(cat "$GUIDE/$1.pid")
  kill "-$2" "$pid" 2>/dev/null
  while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
  rm "$GUIDE/$1.pid"
  echo "$2 $1" >>"$GUIDE/processes"
}

stop_servers() { # <signal>
  local file
  for file in "$GUIDE"/server-*.pid; do
    [ -e "$file" ] && stop_background "$(basename "$file" .pid)" "$1"
  done
  return 0
}
