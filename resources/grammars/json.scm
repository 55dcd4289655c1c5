; Keys. languages.ts limits their depth and number.
(pair key: (string (string_content) @name) value: (object)? @body) @definition.property
