import { readFile } from "node:fs/promises";
import { z } from "zod";
import { type Advisory, askAdvisories } from "./advisories.ts";

/** How an audit ends: with nothing grave, with something to be dealt with, or without an answer. */
const AUDIT_EXIT_CODES = { clean: 0, grave: 1, notAsked: 2 };

/** Asks for advisories against production packages, and says in words what came of it. */
export async function audit(registry?: string): Promise<{ exitCode: number; text: string }> {
  const accepted = await readAccepted();
  const answer = await askAdvisories(registry);
  if (!answer.isAsked) {
    const text = `NOT ASKED: the registry gave no answer about advisories, so nothing is known for or against the packages.\n${answer.because}`;
    return { exitCode: AUDIT_EXIT_CODES.notAsked, text };
  }
  const { grave, borne, outdated } = judgeAdvisories(answer.advisories, accepted, new Date().toISOString().slice(0, 10));
  const lines = [
    ...borne.map((advisory) => `borne: ${inWords(advisory)}`),
    ...outdated.map(
      ({ id, until }) => `accepted-advisories.json: ${id} (until ${until}) counts no more. Take it out, or look at it again.`,
    ),
    ...grave.map((advisory) => `GRAVE: ${inWords(advisory)}`),
  ];
  if (grave.length === 0) return { exitCode: AUDIT_EXIT_CODES.clean, text: [...lines, "Asked: nothing grave is known."].join("\n") };
  const whatToDo =
    "Update the package. Where that can't be done yet, accept the advisory in lib/supply-chain/accepted-advisories.json: why, and until when.";
  return { exitCode: AUDIT_EXIT_CODES.grave, text: [...lines, whatToDo].join("\n") };
}

function inWords({ severity, package: name, range, title, url }: Advisory): string {
  return `${severity}, ${name} ${range}: ${title} (${url})`;
}

const acceptedSchema = z.array(
  z.strictObject({
    /** The advisory's. */
    id: z.string().min(1),
    package: z.string().min(1),
    /** Why it does no harm here, or what is done until there is a better version. */
    reason: z.string().min(20),
    /** The last day on which that holds. */
    until: z.iso.date(),
  }),
);

type AcceptedAdvisory = z.infer<typeof acceptedSchema>[number];

const GRAVE = ["high", "critical"];

interface Judgement {
  /** What has to be dealt with. */
  grave: Advisory[];
  /** The others, or accepted. */
  borne: Advisory[];
  /** What stands accepted and isn't: its day is over, or nothing is known of it any more. */
  outdated: AcceptedAdvisory[];
}

/** Those that somebody looked at and accepted for a while: accepted-advisories.json. */
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
