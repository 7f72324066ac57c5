/** What a device says, without the lines that say where in its own code. */
export const withoutStack = (message: string): string => message.replace(/\n\s+at .*/s, "").trimEnd();
