import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "#e2e/fixtures.ts";

/** All that the server answers to these bytes, up to the end of the connection. */
async function answerTo(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname)
    .setEncoding("latin1")
    .setTimeout(20_000, () => socket.destroy());
  let answer = "";
  socket.on("data", (text) => {
    answer += text;
  });
  socket.write(bytes.replaceAll("\n", "\r\n"));
  await once(socket, "close");
  return answer;
}

const hidden = "GET /api/health HTTP/1.1\nHost: localhost\n\n";

for (const [what, bytes] of [
  ["a length and chunks", `POST /api/sign-out HTTP/1.1\nHost: localhost\nContent-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n${hidden}`],
  ["two lengths", `POST /api/sign-out HTTP/1.1\nHost: localhost\nContent-Length: 0\nContent-Length: 41\n\n${hidden}`],
  ["chunks that are not last", `POST /api/sign-out HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked, identity\n\n0\n\n${hidden}`],
  ["a header folded over two lines", `GET /api/health HTTP/1.1\nHost: localhost\nX-A: b\n Transfer-Encoding: chunked\n\n${hidden}`],
  ["a space before the colon", `POST /api/sign-out HTTP/1.1\nHost: localhost\nContent-Length : 41\n\n${hidden}`],
]) {
  test(`a request with ${what} is refused, and the request hidden behind it is never answered`, async ({ dashboard }) => {
    const answer = await answerTo(dashboard.url, bytes ?? "");
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });
}

test("the same connection answers two well-formed requests", async ({ dashboard }) => {
  const answer = await answerTo(dashboard.url, hidden + hidden.replace("\n\n", "\nConnection: close\n\n"));
  expect(answer.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
});

// While the server listens for upgrades, it can only close such a connection: clients that merely offer one got no answer.
test("a request that offers an upgrade is answered without one", async ({ dashboard }) => {
  const offer = "\nConnection: Upgrade, HTTP2-Settings, close\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQAAP__\n\n";
  expect(await answerTo(dashboard.url, hidden.replace("\n\n", offer))).toMatch(/^HTTP\/1\.1 200 /);
});

test("a body of unknown length is refused once and stays unread, however much is sent", async ({ dashboard }) => {
  const begun = "POST /api/sign-out HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n";
  const sentAt = performance.now();
  const answer = await answerTo(dashboard.url, `${begun}${"1\na\n".repeat(500_000)}0\n\n${hidden}`);
  expect(answer).toMatch(/^HTTP\/1\.1 411 /);
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  // The server closes it, and not the time that answerTo waits.
  expect(performance.now() - sentAt).toBeLessThan(15_000);
});
