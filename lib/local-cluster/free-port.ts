import { createServer } from "node:net";

/** A TCP port on 127.0.0.1 that was free a moment ago; another process may still take it first. */
export function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.on("error", reject);
    server.listen({ host: "127.0.0.1", port: 0 }, () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === "object") resolve(address.port);
        else reject(new Error("The system gave no free port on 127.0.0.1."));
      });
    });
  });
}
