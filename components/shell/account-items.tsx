"use client";

import { Menu } from "@base-ui/react/menu";
import { LogOut } from "lucide-react";
import { menuItemClass, menuLabelClass } from "#components/ui/menu-class.ts";
import { Time } from "#components/ui/time.tsx";
import type { SessionInfo } from "#lib/contract/session.ts";
import { accountName } from "./account-name.ts";

/** Who one is here and until when, and the way out of a session that a browser began: items of a menu. */
export function AccountItems({ session, onSignOut }: { session: SessionInfo; onSignOut: () => void }) {
  return (
    <Menu.Group className="mt-1 border-t border-line pt-1">
      <Menu.GroupLabel className={menuLabelClass}>
        <span dir="auto" className="block text-sm text-ink [overflow-wrap:anywhere]">
          {accountName(session)}
        </span>
        {session.until ? (
          <span>
            {" until "}
            <Time at={session.until} />
          </span>
        ) : null}
      </Menu.GroupLabel>
      {session.until ? (
        <Menu.Item onClick={onSignOut} className={menuItemClass}>
          <LogOut size={14} aria-hidden className="mx-px" />
          Sign out
        </Menu.Item>
      ) : null}
    </Menu.Group>
  );
}
