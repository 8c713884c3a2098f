import { boundedServer } from "#lib/server/bounded-server.ts";

/** Run as a process of its own, whose memory is the server's: answers nothing but /memory, with the most that it has taken so far, in KiB. */
const server = boundedServer(
  () => null,
  ({ url }, response) => void (url === "/memory" && response.end(String(process.resourceUsage().maxRSS))),
);
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (typeof address === "object") process.send?.(address?.port);
});
