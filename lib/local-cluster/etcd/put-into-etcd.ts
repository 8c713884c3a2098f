/** Puts text under a key, past the API server, through etcd's gRPC gateway (https://etcd.io/docs/v3.6/dev-guide/api_grpc_gateway/). */
export async function putIntoEtcd(endpoint: string, key: string, text: string): Promise<void> {
  const inBase64 = (plain: string) => Buffer.from(plain).toString("base64");
  const response = await fetch(`${endpoint}/v3/kv/put`, {
    method: "POST",
    body: JSON.stringify({ key: inBase64(key), value: inBase64(text) }),
  });
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`);
}
