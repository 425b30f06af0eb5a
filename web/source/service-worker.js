// The whole folder is kept: the page opens without a network. A new version is a new cache; it is used when no tab has the old one.
const VERSION = "plimsoll-@VERSION@";
const FILES = "@FILES@".split(" ");

addEventListener("install", (event) => event.waitUntil(caches.open(VERSION).then((cache) => cache.addAll(FILES))));
addEventListener("activate", (event) => {
  const outdated = (name) => name.startsWith("plimsoll-") && name !== VERSION;
  const cleared = caches.keys().then((names) => Promise.all(names.filter(outdated).map((name) => caches.delete(name))));
  event.waitUntil(cleared.then(() => clients.claim()));
});
addEventListener("fetch", (event) => {
  const kept = caches.open(VERSION).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((response) => response ?? fetch(event.request)));
});
