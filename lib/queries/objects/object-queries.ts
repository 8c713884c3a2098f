"use client";

import { keepPreviousData, queryOptions, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import type { z } from "zod";
import { customObjectSchema, objectPageSchema } from "#lib/contract/objects/custom-object.ts";
import { type Cleaning, cleaningSchema, managedFieldsSchema } from "#lib/contract/objects/managed-fields.ts";
import { objectCountsSchema } from "#lib/contract/objects/object-counts.ts";
import { getJson, getJsonLines, isGivenUp, postJsonLines } from "#lib/queries/api-client.ts";
import { crdPath, objectPath, objectsPath } from "#lib/queries/api-paths.ts";

const PAGE_SIZE = 100;

/** A page of a definition's objects. Not under the cluster's key: lists are read only on request. */
export function objectPageQuery(cluster: string, crd: string, version: string, token: string | null) {
  return queryOptions({
    queryKey: ["objects", cluster, crd, version, token],
    queryFn: ({ signal }) => getJson(objectsPath(cluster, crd, { version, limit: PAGE_SIZE, continue: token }), objectPageSchema, signal),
    // A user is waiting and can retry.
    retry: false,
    // Keeps the previous page until the next one arrives.
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** One object as a version shows it. */
export function customObjectQuery(cluster: string, crd: string, object: { namespace: string; name: string }, version: string) {
  return queryOptions({
    queryKey: ["object", cluster, crd, object.namespace, object.name, version],
    queryFn: ({ signal }) => getJson(objectPath(cluster, crd, object, version), customObjectSchema, signal),
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Per-version counts as they grow. Not under the cluster's key: counting is costly and happens only on request. */
export function objectCountsQuery(cluster: string, crd: string) {
  return queryOptions({
    ...growingCount(["object-counts", cluster, crd], `${crdPath(cluster, crd)}/object-counts`, objectCountsSchema),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Counts of managedFields entries by manager and version, as they grow; only on request. */
export function managedFieldsQuery(cluster: string, crd: string) {
  return queryOptions({
    ...growingCount(["managed-fields", cluster, crd], `${crdPath(cluster, crd)}/managed-fields`, managedFieldsSchema),
    enabled: false,
  });
}

/** A query whose data is each line of a count, as it arrives, until the last one. */
function growingCount<Count>(queryKey: string[], path: string, schema: z.ZodType<Count>) {
  return queryOptions({
    queryKey,
    queryFn: async ({ signal, client }) => {
      let counts: Count | undefined;
      for await (const line of getJsonLines(path, schema, signal)) {
        counts = line;
        client.setQueryData<Count>(queryKey, line);
      }
      if (!counts) throw new Error("The count returned no result.");
      return counts;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
}

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
