import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type Advisory, askAdvisories } from "./advisories.ts";

/** Exit codes of an audit: nothing serious, something to fix, or no answer. */
const AUDIT_EXIT_CODES = { clean: 0, grave: 1, notAsked: 2 };

/** Checks the production packages for advisories and describes the result. */
export async function audit(registry?: string): Promise<{ exitCode: number; text: string }> {
  const accepted = await readAccepted();
  const answer = await askAdvisories(registry);
  if (!answer.isAsked) {
    const text = `NOT CHECKED: the registry did not answer about advisories, so the state of the packages is unknown.\n${answer.because}`;
    return { exitCode: AUDIT_EXIT_CODES.notAsked, text };
  }
  const { grave, borne, outdated } = judgeAdvisories(answer.advisories, accepted, new Date().toISOString().slice(0, 10));
  const lines = [
    ...borne.map((advisory) => `accepted: ${inWords(advisory)}`),
    ...outdated.map(({ id, until }) => `accepted-advisories.json: ${id} (until ${until}) no longer applies. Remove it or review it.`),
    ...grave.map((advisory) => `SERIOUS: ${inWords(advisory)}`),
  ];
  if (grave.length === 0) return { exitCode: AUDIT_EXIT_CODES.clean, text: [...lines, "Checked: no serious advisories."].join("\n") };
  const whatToDo =
    "Update the package. If you can't yet, accept the advisory in lib/supply-chain/accepted-advisories.json with a reason and an end date.";
  return { exitCode: AUDIT_EXIT_CODES.grave, text: [...lines, whatToDo].join("\n") };
}

function inWords({ severity, package: name, range, title, url }: Advisory): string {
  return `${severity}, ${name} ${range}: ${title} (${url})`;
}

const acceptedSchema = z.array(
  z.strictObject({
    /** The advisory's id. */
    id: z.string().min(1),
    package: z.string().min(1),
    /** Why it is harmless here, or what protects crdshift until a fixed version exists. */
    reason: z.string().min(20),
    /** The last day of the acceptance. */
    until: z.iso.date(),
  }),
);

type AcceptedAdvisory = z.infer<typeof acceptedSchema>[number];

const GRAVE = ["high", "critical"];

interface Judgement {
  /** Advisories to act on. */
  grave: Advisory[];
  /** Less severe or accepted advisories. */
  borne: Advisory[];
  /** Acceptances that have expired or whose advisory no longer exists. */
  outdated: AcceptedAdvisory[];
}

/** Reads the temporarily accepted advisories from accepted-advisories.json. */
export async function readAccepted(): Promise<AcceptedAdvisory[]> {
  return acceptedSchema.parse(JSON.parse(await readFile(new URL("accepted-advisories.json", import.meta.url), "utf8")));
}

/** @param today as `2026-11-22` */
export function judgeAdvisories(advisories: Advisory[], accepted: AcceptedAdvisory[], today: string): Judgement {
  const isOf = (one: AcceptedAdvisory, advisory: Advisory) => one.id === advisory.id && one.package === advisory.package;
  const isGrave = (advisory: Advisory) =>
    GRAVE.includes(advisory.severity) && !accepted.some((one) => isOf(one, advisory) && one.until >= today);
  return {
    grave: advisories.filter(isGrave),
    borne: advisories.filter((advisory) => !isGrave(advisory)),
    outdated: accepted.filter((one) => one.until < today || !advisories.some((advisory) => isOf(one, advisory))),
  };
}
