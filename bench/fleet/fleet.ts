import { get } from "node:http";
import type { BenchCluster } from "#bench/bench-cluster.ts";
import { type FirstRow, measureFirstRow, startBenchDashboard } from "#bench/dashboard.ts";
import { startMeter } from "#bench/meter.ts";
import type { Options } from "#bench/options.ts";
import { median, number, type Section, spread, table } from "#bench/report/section.ts";
import { sleep } from "#lib/async/sleep.ts";
import type { CrdList } from "#lib/contract/definition/crd.ts";
import { askDashboard, scriptHeaders } from "#lib/server/testing/ask-dashboard.ts";
import { createFleet, SCHEMA_KIB } from "./create-fleet.ts";

const ANSWERS = 20;
const LOOK_EVERY_MS = 1_000;
const GIVE_UP_MS = 15 * 60_000;

interface FleetFigures {
  creationSeconds: number;
  first: Answer;
  /** While the objects are counted for the first time, and after that. */
  whileCounting: Answer[];
  warm: Answer[];
  countedSeconds: number;
  identity: Answer;
  firstRow: FirstRow;
  /** The whole time, browser and counting included. */
  peakRssMb: number;
}

/** The fleet's answers, the server's memory and the first row in Chromium with many definitions. */
export async function measureFleet(cluster: BenchCluster, { crds, rounds }: Options): Promise<Section> {
  // Its garbage collector would watch each of them; what is measured is crdshift.
  await cluster.controllerManager?.kill();
  console.error(`Creating ${crds} definitions …`);
  const createdAt = performance.now();
  await createFleet(cluster.api, crds);
  const creationSeconds = (performance.now() - createdAt) / 1_000;
  console.error(`${crds} definitions were created in ${creationSeconds.toFixed(0)} s`);

  const dashboard = await startBenchDashboard(cluster);
  try {
    const meter = startMeter(dashboard.pid);
    const url = `${dashboard.api}/crds`;
    const first = await ask(url, BROWSER_ENCODINGS);
    const startedAt = performance.now();
    const whileCounting = await answers(url);
    await counted(url, crds);
    const countedSeconds = (performance.now() - startedAt) / 1_000;
    console.error(`first answer ${first.ms.toFixed(0)} ms; all counted after ${countedSeconds.toFixed(0)} s`);
    const warm = await answers(url);
    const identity = await ask(url, "identity");
    const firstRow = await measureFirstRow(dashboard, rounds);
    const { peakRssMb } = meter.stop();
    return section(crds, { creationSeconds, first, whileCounting, warm, countedSeconds, identity, firstRow, peakRssMb });
  } finally {
    await dashboard.stop();
  }
}

async function answers(url: string): Promise<Answer[]> {
  const found: Answer[] = [];
  for (let time = 0; time < ANSWERS; time += 1) found.push(await ask(url, BROWSER_ENCODINGS));
  return found;
}

async function counted(url: string, crds: number): Promise<void> {
  const deadline = AbortSignal.timeout(GIVE_UP_MS);
  for (;;) {
    const list = (await (await askDashboard(url)).json()) as CrdList;
    if (list.items.length < crds) throw new Error(`The fleet has ${list.items.length} of ${crds} definitions.`);
    if (list.items.every(({ objects }) => objects.basis === "list")) return;
    await sleep(LOOK_EVERY_MS, deadline);
  }
}

function section(crds: number, figures: FleetFigures): Section {
  const { first, whileCounting, warm, identity, firstRow } = figures;
  const compressed = Math.max(...warm.map(({ bytes }) => bytes)) / 1_024;
  const ms = (of: Answer[]) =>
    spread(
      of.map((answer) => answer.ms),
      0,
    );
  const warmMs = median(warm.map((answer) => answer.ms));
  return {
    part: "fleet",
    title: `${number(crds, 0)} definitions, medians (min … max)`,
    lines: [
      `Each definition has about ${SCHEMA_KIB} KiB of schemas and no objects; every twentieth has a leftover version. The API server`,
      `took ${number(figures.creationSeconds, 0)} s to create them.`,
      "",
      "Answers are to `GET …/crds` as a browser requests it, measured to the last byte. Warm answers are measured once all",
      "objects have been counted, while counting continues in the background.",
      "",
      ...table(
        ["what", "measured"],
        [
          ["first answer of a new server, ms", number(first.ms, 0)],
          [`${whileCounting.length} answers during the first count of the objects, ms`, ms(whileCounting)],
          ["all objects counted, s after the first answer", number(figures.countedSeconds, 0)],
          [`${warm.length} warm answers, ms`, ms(warm)],
          ["size of an answer, bytes", number(identity.bytes, 0)],
          [`size of an answer with ${warm[0]?.encoding}, bytes`, number(compressed * 1_024, 0)],
          [`first row in Chromium ${firstRow.browserVersion}, s after opening the page`, spread(firstRow.seconds, 2)],
          ["server's peak RSS during all of this, MB", number(figures.peakRssMb, 0)],
        ],
      ),
    ],
    checks: [
      { name: "warm answer, ms", value: warmMs, relation: "<", bound: 300 },
      { name: "compressed answer, KiB", value: compressed, relation: "<=", bound: 300 },
      { name: "server's peak RSS, MB", value: figures.peakRssMb, relation: "<", bound: 250 },
    ],
  };
}

export interface Answer {
  /** From sending the request to the last byte. */
  ms: number;
  /** Of the body as it came over the wire. */
  bytes: number;
  /** The Content-Encoding; "identity" for none. */
  encoding: string;
}

const TIMEOUT_MS = 120_000;

/** What Chromium sends for a page on loopback. */
const BROWSER_ENCODINGS = "gzip, deflate, br, zstd";

/** One GET over a kept connection, its body counted and not decoded. Throws for an answer other than 200. */
function ask(url: string, acceptEncoding: string): Promise<Answer> {
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { ...scriptHeaders, "accept-encoding": acceptEncoding };
    const sent = get(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode !== 200) return reject(new Error(`${url}: ${response.statusCode}`));
        resolve({ ms: performance.now() - startedAt, bytes, encoding: response.headers["content-encoding"] ?? "identity" });
      });
    });
    sent.on("error", reject);
  });
}
