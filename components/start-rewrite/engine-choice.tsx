"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useId } from "react";
import { unservedWords } from "#components/migrations/api-words.ts";
import { enginesHref } from "#components/shell/hrefs.ts";
import { ChoiceField } from "#components/ui/choice-field.tsx";
import { migrationsQuery } from "#lib/queries/migration-queries.ts";
import type { RewriteOptions } from "./rewrite-options.ts";

interface Props {
  cluster: string;
  engine: RewriteOptions["engine"];
  onChange: (engine: RewriteOptions["engine"]) => void;
}

/** Who patches the objects; crdshift verifies either way. */
export function EngineChoice({ cluster, engine, onChange }: Props) {
  const name = useId();
  const { data, error } = useQuery(migrationsQuery(cluster));
  const unserved = data ? unservedWords("in-tree", data.apis["in-tree"]) : (error?.message ?? "Asking the cluster whether it has one…");
  return (
    <fieldset className="flex flex-col gap-2">
      {/* A legend takes no part in the gap. */}
      <legend className="pb-2 text-sm font-semibold">
        Engine<span className="font-normal text-ink-soft">: who rewrites the objects</span>
      </legend>
      <ChoiceField type="radio" name={name} label="crdshift's own" checked={engine === "crdshift"} onChange={() => onChange("crdshift")}>
        Goes on past objects that are refused, and can be paused, limited and cancelled.
      </ChoiceField>
      <ChoiceField
        type="radio"
        name={name}
        label="The cluster's own (StorageVersionMigration)"
        checked={engine === "in-tree"}
        disabled={unserved !== null}
        onChange={() => onChange("in-tree")}
      >
        {unserved ??
          "The control plane patches the objects, and fails at the first that is refused. It can't be paused, limited or stopped. crdshift looks at every object afterwards."}
      </ChoiceField>
      <Link href={enginesHref(cluster)} prefetch={false} className="self-start text-xs text-ink-soft underline underline-offset-2">
        Which engine to choose, and why
      </Link>
    </fieldset>
  );
}
