import { CodePanel } from "#components/ui/code.tsx";
import type { CustomObject } from "#lib/contract/objects/custom-object.ts";
import { escapedJson } from "#lib/domain/wording/quoted.ts";
import { objectDownloadPath } from "#lib/queries/api-paths.ts";
import { linesAtPath } from "./object-lines.ts";

interface Props {
  cluster: string;
  crd: string;
  object: CustomObject;
  label: string;
  copyLabel: string;
  /** The path to mark and scroll to. */
  at: string | null;
}

/** An object's text, or where to download it. */
export function ObjectText({ cluster, crd, object, label, copyLabel, at }: Props) {
  const { text, version } = object;
  if (text !== null) {
    return (
      <CodePanel label={label} text={escapedJson(text)} copyLabel={copyLabel} {...(at !== null && { marked: linesAtPath(text, at) })} />
    );
  }
  return (
    <p className="text-sm">
      Too large to show;{" "}
      <a
        href={objectDownloadPath(cluster, crd, object, version)}
        download={`${object.name}.json`}
        className="text-ink underline underline-offset-2"
      >
        download it
      </a>
      .
    </p>
  );
}
