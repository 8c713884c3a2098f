import { type Advisory, askAdvisories } from "./advisories.ts";
import { judgeAdvisories, readAccepted } from "./judge-advisories.ts";

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
