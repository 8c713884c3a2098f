interface MemberList {
  members?: Array<{ name?: string }>;
}

/**
 * Whether etcd answers at `endpoint` and its member has this name. An etcd that lost a race for its port would otherwise
 * pass for up when it is another cluster's that answers there.
 */
export async function isEtcdNamed(endpoint: string, name: string): Promise<boolean> {
  try {
    const response = await fetch(`${endpoint}/v3/cluster/member/list`, { method: "POST", body: "{}", signal: AbortSignal.timeout(2_000) });
    // etcd's gRPC gateway answers so; anything else that listens there gives no such list.
    const { members = [] } = (await response.json()) as MemberList;
    return members.some((member) => member.name === name);
  } catch {
    return false;
  }
}
