import type { BenchCluster } from "#bench/bench-cluster.ts";
import { startMeter } from "#bench/meter.ts";
import type { Options } from "#bench/options.ts";
import { number, type Section, table } from "#bench/report/section.ts";
import { sleep } from "#lib/async/sleep.ts";
import { type CreatedUser, createUser } from "#lib/cluster/testing/create-user.ts";
import type { CrdList } from "#lib/contract/definition/crd.ts";
import { startDashboard } from "#lib/server/testing/start-dashboard.ts";
import { createFleet, SCHEMA_KIB } from "./create-fleet.ts";

/** So many people have the fleet open at each look, those of the look before among them. */
const LOOKS = [1, 5, 20];
/** The chart's memory limit for the pod, and the maximum heap that Node.js chooses in such a container: half of it. */
const LIMIT_MIB = 1_024;
const NODE_OPTIONS = `--max-old-space-size=${LIMIT_MIB / 2}`;
const RELOADS = 3;
const LOOK_EVERY_MS = 1_000;
const REST_MS = 30_000;
const GIVE_UP_MS = 5 * 60_000;

/** The permissions of a user with the chart's viewer role and access to one group. */
const VIEWER = [
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: ["get", "list", "watch"] },
  { apiGroups: ["group0.fleet.crdshift.dev"], resources: ["*"], verbs: ["get", "list"] },
];

interface Look {
  people: number;
  /** While those that are new came and everybody's objects were counted, and after that once all reloaded at once. */
  comingMb: number;
  reloadingMb: number;
  /** Half a minute later, with every page still open. */
  restingMb: number;
}

/** The server's memory in the mode `token`, with several people who each have the fleet open. */
export async function measurePeople(cluster: BenchCluster, { crds }: Options): Promise<Section> {
  // Its garbage collector would watch each definition.
  await cluster.controllerManager?.kill();
  await createFleet(cluster.api, crds);
  const dashboard = await startDashboard({ KUBECONFIG: cluster.kubeconfig, CRDSHIFT_MODE: "token", NODE_OPTIONS });
  const closing = new AbortController();
  const people: CreatedUser[] = [];
  try {
    const api = `${dashboard.url}/api/clusters/${encodeURIComponent(cluster.context)}`;
    const looks: Look[] = [];
    for (const count of LOOKS) {
      const coming = startMeter(dashboard.pid);
      while (people.length < count) {
        const person = await createUser(cluster.api, VIEWER);
        people.push(person);
        await openFleet(api, person, closing.signal);
      }
      await Promise.all(people.map((person) => counted(api, person, crds)));
      const comingMb = coming.stop().peakRssMb;
      const reloading = startMeter(dashboard.pid);
      for (let time = 0; time < RELOADS; time += 1) await Promise.all(people.map((person) => readFleet(api, person)));
      const reloadingMb = reloading.stop().peakRssMb;
      await sleep(REST_MS, closing.signal);
      looks.push({ people: count, comingMb, reloadingMb, restingMb: startMeter(dashboard.pid).stop().peakRssMb });
      console.error(new Date().toISOString(), JSON.stringify(looks.at(-1)));
    }
    return section(crds, looks);
  } finally {
    closing.abort();
    await dashboard.stop();
    for (const person of people) await person.remove();
  }
}

/** As a tab does: the event stream stays open, and the list is read. */
async function openFleet(api: string, person: CreatedUser, signal: AbortSignal): Promise<void> {
  const { body } = await asked(`${api}/events`, person, signal);
  // It ends with the signal.
  void body?.pipeTo(new WritableStream()).catch(() => {});
  await readFleet(api, person);
}

async function readFleet(api: string, person: CreatedUser): Promise<CrdList> {
  return (await (await asked(`${api}/crds`, person, AbortSignal.timeout(GIVE_UP_MS))).json()) as CrdList;
}

async function counted(api: string, person: CreatedUser, crds: number): Promise<void> {
  const deadline = AbortSignal.timeout(GIVE_UP_MS);
  for (;;) {
    const { items } = await readFleet(api, person);
    if (items.length < crds) throw new Error(`The fleet has ${items.length} of ${crds} definitions.`);
    if (items.every(({ objects }) => objects.basis !== "unknown")) return;
    await sleep(LOOK_EVERY_MS, deadline);
  }
}

async function asked(url: string, { token }: CreatedUser, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`);
  return response;
}

function section(crds: number, looks: Look[]): Section {
  const mb = (value: number) => number(value, 0);
  return {
    part: "people",
    title: `${LOOKS.join(", ")} at once, with ${number(crds, 0)} definitions`,
    lines: [
      `In the mode \`token\`, with the maximum heap that Node.js chooses in a container of ${number(LIMIT_MIB, 0)} MiB`,
      `(\`${NODE_OPTIONS}\`). Each person has their own token, has read the list of all definitions, and keeps the`,
      `event stream open. They may list all definitions, of about ${SCHEMA_KIB} KiB each, and the objects of ten.`,
      "",
      "Figures are the server's RSS in MiB: the peak while people arrived one after the other and their objects were counted,",
      "the peak while all of them reloaded the list at once, three times, and the value half a minute later.",
      "",
      ...table(
        ["people", "on arrival", "on reload", "at rest"],
        looks.map((look) => [String(look.people), mb(look.comingMb), mb(look.reloadingMb), mb(look.restingMb)]),
      ),
    ],
    checks: [
      {
        name: `server's peak RSS with ${LOOKS.at(-1)} people, below the chart's limit, MiB`,
        value: Math.max(...looks.flatMap(({ comingMb, reloadingMb }) => [comingMb, reloadingMb])),
        relation: "<",
        bound: LIMIT_MIB,
      },
    ],
  };
}
