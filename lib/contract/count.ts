import { z } from "zod";

/** More objects, or requests, than any run ever meets. */
const MOST_COUNTED = 1_000_000_000_000;

/**
 * A count in a record, to which crdshift may add. Anyone who may annotate definitions can write any: one that is larger, or below zero, is
 * read as the nearest that is possible, so that no sum gets beyond what JavaScript counts exactly, which the next read would refuse.
 */
export const count = z.int().transform((number) => Math.min(Math.max(number, 0), MOST_COUNTED));
