import faultsNoneFile from "../../shaders/device/faults_none.wgsl";
import spineEntriesFile from "../../shaders/device/spine_entries.wgsl";
import tileByNumberFile from "../../shaders/device/tile_by_number.wgsl";
import tileByTicketFile from "../../shaders/device/tile_by_ticket.wgsl";
import type { SourceText } from "../types.ts";

// This is loaded where a plan takes a single pass. It imports no code, so that a bundler makes one file of it.
export const faultsNone: SourceText = { name: "shaders/device/faults_none.wgsl", text: faultsNoneFile };
export const spineEntries: SourceText = {
  name: "shaders/device/spine_entries.wgsl",
  text: spineEntriesFile,
};
export const tileByNumber: SourceText = {
  name: "shaders/device/tile_by_number.wgsl",
  text: tileByNumberFile,
};
export const tileByTicket: SourceText = {
  name: "shaders/device/tile_by_ticket.wgsl",
  text: tileByTicketFile,
};
