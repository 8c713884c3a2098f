/** Where the server tells routes the network a request came from (lib/server/network-of.ts); it replaces what a client sends. */
export const NETWORK_HEADER = "x-crdshift-network";

/** Where the server tells routes the request's id; it replaces what a client sends. */
export const REQUEST_ID_HEADER = "x-request-id";
