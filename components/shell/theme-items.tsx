"use client";

import { Menu } from "@base-ui/react/menu";
import { Check } from "lucide-react";
import { useTheme } from "next-themes";
import { menuItemClass, menuLabelClass } from "#components/ui/menu-class.ts";

const themes = [
  { value: "light", word: "Light" },
  { value: "dark", word: "Dark" },
  { value: "system", word: "As the system" },
];

/** Light, dark, or as the system: items of a menu. */
export function ThemeItems() {
  const { theme, setTheme } = useTheme();
  return (
    <Menu.RadioGroup value={theme ?? "system"} onValueChange={setTheme}>
      <Menu.GroupLabel className={menuLabelClass}>Theme</Menu.GroupLabel>
      {themes.map(({ value, word }) => (
        <Menu.RadioItem key={value} value={value} closeOnClick className={menuItemClass}>
          <span className="size-4">
            <Menu.RadioItemIndicator>
              <Check size={14} aria-hidden />
            </Menu.RadioItemIndicator>
          </span>
          {word}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
