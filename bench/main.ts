/** `npm run bench`: measures crdshift beside other ways to the same result. options.ts lists the options after `--`. */
import { describeMachine, type Machine, startBenchCluster } from "./bench-cluster.ts";
import { measureEngines } from "./engines/engines.ts";
import { measureFleet } from "./fleet/fleet.ts";
import { measurePeople } from "./fleet/people.ts";
import { measureGrowth } from "./growth.ts";
import { measureGuards } from "./guards.ts";
import { measureNeighbour } from "./neighbour/neighbour.ts";
import { type Part, readOptions } from "./options.ts";
import { enginesSection } from "./report/engines-section.ts";
import { sectionText, writeMeasured, writeResults } from "./report/results.ts";
import { passes, type Section } from "./report/section.ts";

const options = readOptions(process.argv.slice(2));
const measuredAt = new Date().toISOString();
const cluster = await startBenchCluster();
try {
  const machine = await describeMachine(cluster);
  for (const part of options.parts) {
    const section = await measure(part, machine);
    const text = sectionText(section, machine, measuredAt);
    console.log(`\n${text}`);
    if (!section.checks.every(passes)) process.exitCode = 1;
    // Written after each part, as a later one may fail.
    if (options.isFull) await writeResults(part, text);
  }
  if (!options.isFull) console.log("Nothing written: bench/RESULTS.md contains only full runs.");
} finally {
  await cluster.stop();
}
// Open connections to the cluster would keep the process alive.
process.exit(process.exitCode ?? 0);

/** What a part found; what else than its section is written down of it is written here. */
async function measure(part: Part, machine: Machine): Promise<Section> {
  switch (part) {
    case "engines": {
      const measured = await measureEngines(cluster, options);
      if (options.isFull) await writeMeasured(measured, options.objects, machine, measuredAt);
      return enginesSection(measured, options);
    }
    case "guards":
      return measureGuards(cluster, options);
    case "neighbour":
      return measureNeighbour(cluster, options);
    case "growth":
      return measureGrowth(cluster, options);
    case "fleet":
      return measureFleet(cluster, options);
    case "people":
      return measurePeople(cluster, options);
  }
}
