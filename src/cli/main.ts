console.log("");
