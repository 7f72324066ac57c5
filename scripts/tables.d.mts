export function byName(code: string): string;
export function tableOf(text: string, path: string, name: string): string;
