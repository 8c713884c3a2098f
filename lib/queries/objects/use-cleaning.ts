"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { type Cleaning, cleaningSchema } from "#lib/contract/objects/managed-fields.ts";
import { isGivenUp, postJsonLines } from "#lib/queries/api-client.ts";
import { crdPath } from "#lib/queries/api-paths.ts";
import { managedFieldsQuery } from "./object-queries.ts";

const CLEAN = { label: "Clean managedFields" };

/** The progress of one cleaning of managedFields, or of its dry run. */
export interface CleaningStep {
  dryRun: boolean;
  at: "work" | "end" | "stopped";
  /** The latest line; null before the first. */
  cleaning: Cleaning | null;
  error: Error | null;
}

/** Cleans managedFields of the entries of one version. It stops when the page unmounts; changes already made stay. */
export function useCleaning(cluster: string, crd: string, version: string) {
  const client = useQueryClient();
  const [step, setStep] = useState<CleaningStep | null>(null);
  const shown = useRef<CleaningStep | null>(null);
  const controller = useRef<AbortController | null>(null);

  const stop = useCallback(() => controller.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const run = useCallback(
    async (dryRun: boolean) => {
      stop();
      const own = new AbortController();
      controller.current = own;
      const before = shown.current;
      let now: CleaningStep = { dryRun, at: "work", cleaning: null, error: null };
      const show = (change: Partial<CleaningStep>) => {
        if (controller.current !== own) return;
        now = { ...now, ...change };
        shown.current = now;
        setStep(now);
      };
      show({});
      try {
        const path = `${crdPath(cluster, crd)}/managed-fields/clean`;
        const asked = { signal: own.signal, ...(!dryRun && { change: CLEAN }) };
        for await (const cleaning of postJsonLines(path, { versions: [version], dryRun }, cleaningSchema, asked)) show({ cleaning });
        show({ at: "end" });
      } catch (error) {
        if (isGivenUp(error) && before) return show(before);
        show(own.signal.aborted ? { at: "stopped" } : { at: "stopped", error: error instanceof Error ? error : new Error(String(error)) });
      }
      // The count on the page is out of date.
      if (!dryRun) client.fetchQuery({ ...managedFieldsQuery(cluster, crd), staleTime: 0 }).catch(() => {});
    },
    [client, cluster, crd, version, stop],
  );
  return { step, run, stop };
}
