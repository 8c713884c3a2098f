"use client";

import { Menu } from "@base-ui/react/menu";
import { LogOut } from "lucide-react";
import { menuItemClass, menuLabelClass } from "#components/ui/menu-class.ts";
import { Time } from "#components/ui/time.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { serviceAccountOf } from "#lib/domain/service-account.ts";
import { accountName } from "./account-name.ts";

/** Who one is here and until when, and the way out of a session that a browser began: items of a menu. */
export function AccountItems({ session, onSignOut }: { session: SessionInfo; onSignOut: () => void }) {
  const account = session.user === null ? null : serviceAccountOf(session.user);
  return (
    <Menu.Group className="mt-1 border-t border-line pt-1">
      <Menu.GroupLabel title={session.user ?? undefined} className={menuLabelClass}>
        <span dir="auto" className="block text-sm text-ink [overflow-wrap:anywhere]">
          {account?.name ?? accountName(session)}
        </span>
        {account ? <span className="block [overflow-wrap:anywhere]">service account in namespace {account.namespace}</span> : null}
        {session.until ? (
          <span>
            until <Time at={session.until} />
          </span>
        ) : null}
      </Menu.GroupLabel>
      {session.until ? (
        <Menu.Item onClick={onSignOut} className={menuItemClass}>
          <LogOut size={14} aria-hidden className="mx-px shrink-0 translate-y-0.5 self-start" />
          <span>
            Sign out
            <span className="block text-xs text-ink-soft">{afterSignOut(session)}</span>
          </span>
        </Menu.Item>
      ) : null}
    </Menu.Group>
  );
}

function afterSignOut({ mode }: SessionInfo): string {
  return mode === "token"
    ? "Rewrites that you started go on with your token until it ends; cancel them first if they shall not."
    : "Rewrites go on; cancel them first if they shall not.";
}
