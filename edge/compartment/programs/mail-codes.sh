# Waits for mail: opens a mailbox of its own once, and prints each code and link that comes in, as soon as it does.

# Fails where this service takes no mail, or where none may be had yet: it is tried again at the next start.
if [ ! -e mailbox-opened ]; then
  hub-agent mail open --idempotency-key "mailbox-$HUB_COMPARTMENT" || exit 1
  touch mailbox-opened
fi
hub-agent mail boxes

last=""
while true; do
  found=$(hub-agent mail wait-code --minutes 10 --wait 60 2> /dev/null) || { sleep 5; continue; }
  # What has been printed stays the newest for ten minutes: only another one is news.
  [ "$found" = "$last" ] && { sleep 20; continue; }
  last=$found
  printf '%s\n' "$found"
done
