const WIDTH = 100;

/** Text in lines of at most 100 characters with their indent, broken between words; its own line breaks stay. */
export function wrapped(text: string, indent: number): string {
  const width = WIDTH - indent;
  return text
    .split("\n")
    .map((line) => {
      const lines: string[] = [];
      for (const word of line.split(" ")) {
        const last = lines.at(-1);
        if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
        else lines.push(word);
      }
      return lines.join("\n");
    })
    .join("\n");
}
