; Tables and keys. languages.ts limits their depth and number.
(table . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.property
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.property
(pair . [(bare_key) (dotted_key) (quoted_key)] @name) @definition.property
