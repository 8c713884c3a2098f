/**
 * How an object was stored that a no-op patch changes. Nothing tells the two apart: the API server also writes a value again that it
 * encrypted with a key that is no longer the first one.
 */
export const STORED_OTHERWISE = "stored at an older version or encrypted with an earlier key";
