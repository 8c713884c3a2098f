import type { Dispatcher } from "undici";

/**
 * One context with one set of credentials: the key of every client and cache. Whoever connects with new credentials gets a new one; those who
 * hold this one, such as a run, go on with what replaces its own (docs/decisions/0047).
 */
export interface Connection {
  /** The context's name. */
  readonly name: string;
  /** `https://host:port`, plus the path if the kubeconfig has one. */
  readonly server: string;
  /** The proxy of the kubeconfig that leads there. */
  readonly proxy?: string | undefined;
  /** The kubeconfig's tls-server-name, by which a proxy at the address may choose the cluster. */
  readonly tlsServerName?: string | undefined;
  /** The context and the owner of the credentials, even after a renewal: the key of the data a process keeps for its users. */
  readonly audience: string;
  /** Shared by all requests to this API server with these credentials. */
  readonly dispatcher: Dispatcher;
  /** Whether rejected credentials may work again after a renewal; a person's token can't be renewed. */
  readonly renewable: boolean;
  /** The expiry of a person's token, in ms since the epoch; null if it doesn't say, or if the credentials are renewable. */
  readonly expiresAt: number | null;
  /** A dispatcher that opens new connections, to ask several API servers behind one address. Close it after use. */
  openDispatcher(): Dispatcher;
  /** The one for downloads. */
  downloads(): Dispatcher;
  /** The headers that authenticate a request, renewed if an exec plugin or a file may have a new token. */
  authHeaders(options?: { renew: boolean }): Promise<Record<string, string>>;
  /**
   * For a token that the cluster has accepted as this person's, or without saying whose it is (null): until then a connection is kept only
   * as long as there is room.
   * @throws AppError too_many_requests if too many others are using crdshift, or too many of the person's tokens are new.
   */
  keepFor(person: string | null): void;
  /** Someone still works with it, such as a reader of events, although it sends nothing at the moment. */
  touch(): void;
  /** Who takes turns with others: all tokens of one person together, once the cluster has said whose they are. */
  person(): string;
  /** The person's name in the cluster; null until it has said whose token it is, and for this process's own credentials. */
  userName(): string | null;
  /**
   * Other tokens of the same person, someone else while nobody used it, or made-up tokens before the cluster accepted this one, took its
   * place: the next request opens a new connection, and nothing is kept for this one.
   */
  pushOut(): void;
  letBackIn(): void;
  isPushedOut(): boolean;
  /** Closes the open sockets once no request is in flight. */
  close(): Promise<void>;
  /** For rejected credentials: the next connect makes a new connection. Those who hold this one, such as a run, can still use it. */
  discard(): void;
}
